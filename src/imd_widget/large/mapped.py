"""Objects of NumPy arrays in memory-mapped files, one file each."""

from __future__ import annotations

import mmap
import pickle
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import Any

#: Arrays begin at multiples of this many bytes.
ALIGNED = 64


class Store:
    """A temporary folder of memory-mapped objects, which is removed with the last of them."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="imd-widget-"))
        self.close: Callable[[], object] = weakref.finalize(
            self, rmtree, self.folder, ignore_errors=True
        )
        self._count = 0

    def put(self, value: Any) -> Any:
        """Write an object to a file and return it with its arrays read from there on demand.

        The arrays are read-only. The file needs the room of the arrays; memory is needed for as
        long as pages are in use, and given back under pressure.
        """
        buffers: list[pickle.PickleBuffer] = []
        plain = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        self._count += 1
        path = self.folder / f"{self._count}-{id(value)}.bin"
        places = []
        with path.open("wb") as file:
            for buffer in buffers:
                raw = buffer.raw()
                file.write(b"\0" * (-file.tell() % ALIGNED))
                places.append((file.tell(), raw.nbytes))
                file.write(raw)
        if not any(size for _, size in places):
            return value
        with path.open("rb") as file:
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        parts = [mapped[start : start + size] for start, size in places]
        return pickle.loads(plain, buffers=parts)
