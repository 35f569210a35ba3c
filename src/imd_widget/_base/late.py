"""Fields of a frozen dataclass that are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast, overload

ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class _Pending:
    make: Callable[[], Any]


def pending(make: Callable[[], ValueT]) -> ValueT:
    """Return what stands for a value in a `Late` field until the field is read."""
    return cast("ValueT", _Pending(make))


class Late(Generic[ValueT]):
    """A field that is passed as a value, or as a `pending` one that its first reader computes.

    In a dataclass: ``advice: Late[str] = Late()``. The field has no default.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Late[ValueT]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> ValueT: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:  # the dataclass looks for a default
            raise AttributeError(self._name)
        value = instance.__dict__[self._name]
        if isinstance(value, _Pending):
            value = instance.__dict__[self._name] = value.make()
        return value

    def __set__(self, instance: object, value: ValueT) -> None:
        instance.__dict__[self._name] = value
