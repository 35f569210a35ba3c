"""Servers that live as long as the tests: started on a free port, awaited, ended."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    answers_at: str,
    log: Path,
    folder: Path | None = None,
) -> Iterator[None]:
    """A server, from the moment that it answers at an address; what it says goes to a file."""
    with log.open("wb") as output:
        server = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_until_up(server, answers_at, log)
            yield
        finally:
            _stop(server)


def _wait_until_up(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the server did not start:\n{log.read_text(encoding='utf-8')}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    # The first signal lets the server end its kernels; a second one does not wait for them.
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
        if server.poll() is None:
            server.send_signal(number)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                continue
