"""Exit codes of the command line."""

from __future__ import annotations

import enum


class Exit(enum.IntEnum):
    """Exit codes; `EXIT_CODES` describes them in the help."""

    FINE = 0
    DIFFER = 1
    UNUSABLE = 2
    UNEXPECTED = 70  # EX_SOFTWARE
    UNWRITTEN = 74  # EX_IOERR
    STOPPED = 130


EXIT_CODES = """\
exit codes:
  0    fine
  1    a limit is exceeded: --fail-over, --fail-breaks, --fail-rule-breaks, --fail-group,
       --fail-net or --fail-unless-same
  2    the command or the file cannot be used; the reason is on stderr
  70   an error in imd-widget itself, with its traceback
  74   the models were compared, but a result could not be written (is the disk full?)
  130  stopped with Ctrl-C
"""
