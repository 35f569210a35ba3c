"""Progress bars, which need tqdm; without it there are none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def progress_bar(iterable: Iterable[Any] | None = None, **options: Any) -> Any:
    """Return a bar of tqdm with these options, or one that shows nothing."""
    try:
        from tqdm.auto import tqdm
    except ModuleNotFoundError:
        return _NoBar(iterable or (), options.get("total"))
    return tqdm(iterable, **options)


class _NoBar:
    """Takes the place of a bar where tqdm is not installed."""

    def __init__(self, iterable: Iterable[Any], total: int | None) -> None:
        self._iterable = iterable
        self.n, self.total = 0.0, total

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterable)

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, n: float = 1) -> None:
        """Count a step."""
        self.n += n

    def close(self) -> None:
        """Show nothing."""

    def set_description(self, *_: object, **__: object) -> None:
        """Show nothing."""

    def set_postfix(self, *_: object, **__: object) -> None:
        """Show nothing."""
