"""Atomic writing of files: a write that fails leaves the old file unchanged."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

#: Folders whose entries are devices or open files, which cannot be replaced.
_DEVICES = ("/dev/", "/proc/")


def write_whole(path: Path, content: bytes) -> None:
    """Write a temporary file and rename it to ``path``.

    Symbolic links are followed and permissions are kept. A path that cannot be replaced (a pipe, a
    device, a file in a folder without write permission) is written to directly.
    """
    if not _is_replaceable(path):
        path.write_bytes(content)
        return
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        # like open(): the umask decides the permissions of a new file
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    except OSError:
        path.write_bytes(content)  # if it fails, the error names the user's path
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        _keep_permissions(target, beside)
        try:
            beside.replace(target)
        except OSError:  # it is a mount point, or open in another process on Windows
            path.write_bytes(content)
    finally:
        beside.unlink(missing_ok=True)


_BINARY = getattr(os, "O_BINARY", 0)


def _is_replaceable(path: Path) -> bool:
    """Whether ``path`` is a writable regular file, or does not exist yet."""
    if os.path.abspath(path).startswith(_DEVICES):
        return False
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return True
    # a rename would replace a read-only file too
    return stat.S_ISREG(mode) and os.access(path, os.W_OK)


def _keep_permissions(old: Path, new: Path) -> None:
    try:
        status = old.stat()
    except FileNotFoundError:
        return
    with suppress(OSError, AttributeError):  # only root may change the owner; Windows has no chown
        os.chown(new, status.st_uid, status.st_gid)
    new.chmod(stat.S_IMODE(status.st_mode))
