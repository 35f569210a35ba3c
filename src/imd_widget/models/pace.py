"""What calls of a model cost: a price of each call, and a price of each row."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

#: The rows of a call must be worth this many times the price of the call itself.
WORTH = 10


class Pace:
    """The price of calls, measured on those made so far.

    The shortest and the longest call separate the cost of a call from that of its rows. After one
    call alone its rows are held to be all that it costs.
    """

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}

    @contextmanager
    def timed(self, n_rows: int) -> Iterator[None]:
        """Measure a call with so many rows, unless it raises."""
        start = perf_counter()
        yield
        took = perf_counter() - start
        # what a busy machine adds is not a price
        self._seconds[n_rows] = min(took, self._seconds.get(n_rows, took))

    def rows_within(self, seconds: float) -> int:
        """Return the number of rows of a call of about ``seconds``; 0 before the first call.

        It is larger if each call has a high price: to cut up the rows would cost more than to wait.
        """
        if not self._seconds:
            return 0
        few, many = min(self._seconds), max(self._seconds)
        short, long = self._seconds[few], self._seconds[many]
        if few == many:
            a_row, a_call = long / max(many, 1), 0.0
        else:
            a_row = max(0.0, (long - short) / (many - few))
            a_call = max(0.0, short - a_row * few)
        if a_row <= 0:
            return sys.maxsize
        return max(1, min(sys.maxsize, int(max(seconds, WORTH * a_call) / a_row)))
