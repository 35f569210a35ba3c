"""Files that are there as a whole or not at all: what fails leaves the old one as it was."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

#: Where names stand for what is open: there is nothing that could be put in its place.
_DEVICES = ("/dev/", "/proc/")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, in place of the one that is there once all of it is written.

    A link is followed, and permissions are kept. What cannot be replaced (a pipe, a device, a file
    in a folder that takes no other) is written to directly.
    """
    if not _is_replaceable(path):
        path.write_bytes(content)
        return
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        # as open does: the permissions of a new file are what the umask leaves
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    except OSError:
        path.write_bytes(content)  # or an error that speaks of the user's own path
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        _keep_permissions(target, beside)
        try:
            beside.replace(target)
        except OSError:  # it is mounted by itself, or on Windows open elsewhere
            path.write_bytes(content)
    finally:
        beside.unlink(missing_ok=True)


_BINARY = getattr(os, "O_BINARY", 0)


def _is_replaceable(path: Path) -> bool:
    """Whether it is a file that may be written to, or is not there yet."""
    if os.path.abspath(path).startswith(_DEVICES):
        return False
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return True
    # a file that must not be written to could be replaced all the same
    return stat.S_ISREG(mode) and os.access(path, os.W_OK)


def _keep_permissions(old: Path, new: Path) -> None:
    try:
        known = old.stat()
    except FileNotFoundError:
        return
    with suppress(OSError, AttributeError):  # only root gives files away; Windows knows no owners
        os.chown(new, known.st_uid, known.st_gid)
    new.chmod(stat.S_IMODE(known.st_mode))
