"""The methods as values: each holds its options, checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, get_args

from imd_widget._base.errors import Argument, Given, InputError
from imd_widget._base.options import Flag, NotLarge, check_options, option
from imd_widget._base.plain import shown
from imd_widget._base.validation import check_whole, is_number

#: Names of the methods, the short form of ``method=``.
MethodName = Literal["calibrated", "imd", "separate", "direct"]
#: The model whose outputs conditions may use; "auto" chooses the one with the larger score.
GivenChoice = Literal["m1", "m2", "auto", "margins"]
Augment = Literal["neighbours"]

#: Largest ``diff_weight`` and ``rule_cost``: larger ones would round the other terms away.
LARGEST_WEIGHT = 1e12


def _depth(name: str, value: Any) -> int:
    check_whole(name, value, 1, 30)
    return int(value)


def _positive(name: str, value: Any) -> int:
    check_whole(name, value, 1, None)
    return int(value)


def _positive_or_none(name: str, value: Any) -> int | None:
    return None if value is None else _positive(name, value)


def _alpha(name: str, value: Any) -> float | None:
    if value is not None and not (is_number(value) and value <= 1):
        raise InputError(
            Given(name, value),
            ": a number up to 1 is needed. With 1 the surrogates part at the root, with smaller "
            "numbers later; None uses condition (6) of the paper.",
        )
    return None if value is None else float(value)


def _weight(name: str, value: Any) -> float:
    if not (is_number(value) and 0 <= value <= LARGEST_WEIGHT):
        raise InputError(Given(name, value), f": a number from 0 to {LARGEST_WEIGHT:g} is needed.")
    return float(value)


def _sensitivity(name: str, value: Any) -> float | None:
    if value is not None and not (is_number(value) and 0 <= value <= 1):
        raise InputError(
            Given(name, value),
            ": the share of differing rows to cover is a number from 0 to 1; None chooses the best "
            "balance.",
        )
    return None if value is None else float(value)


def _given(name: str, value: Any) -> Any:
    if value is not None and value not in get_args(GivenChoice):
        raise InputError(
            Given(name, value),
            ': choose "m1" or "m2" to let rules use the output of that model, "auto" for the '
            'one that explains more, or "margins" for how sure the models are; with None rules '
            "use the columns of ",
            Argument("X"),
            " alone.",
        )
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(Given(name, value), ": choose True or False.")
    return value


def _augment(name: str, value: Any) -> Any:
    if value is not None and value not in get_args(Augment):
        raise InputError(Given(name, value), ' is not known. Choose "neighbours" or None.')
    return value


def _default(value: Any) -> Any:
    """An option that only other methods have."""
    return field(default=value, init=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method with its options; `Calibrated`, `Imd`, `Separate` and `Direct` are the methods.

    ``method="calibrated"`` is short for ``method=imd.Calibrated()``.
    """

    name: ClassVar[MethodName]

    max_depth: int = option(
        6,
        "int",
        "Maximum number of conditions of a surrogate.",
        check=_depth,
        flag=Flag("--max-depth", "maximum number of conditions (default: 6)", "N"),
    )
    min_samples_leaf: int = option(
        1,
        "int",
        'Minimum number of rows on each side of a split: by default 5 for "calibrated" and 1 for '
        "the other methods.",
        check=_positive,
    )
    alpha: float | None = _default(None)
    diff_weight: float = _default(5.0)
    rule_cost: float = _default(0.005)
    max_rules: int | None = _default(None)
    sensitivity: float | None = _default(None)
    given: GivenChoice | None = _default(None)
    scores: bool = _default(False)
    sets: bool = _default(False)
    augment: Augment | None = _default(None)

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True, kw_only=True)
class Calibrated(Method):
    """A joint tree grown for the differences and pruned to the splits that isolate them.

    Regions become rules by their rate of difference.

    Parameters
    ----------
    max_depth, min_samples_leaf, diff_weight, rule_cost, max_rules
        See `imd_widget.diff`.
    sensitivity, given, scores, sets, augment
        See `imd_widget.diff`.

    Examples
    --------
    >>> import numpy as np
    >>> import imd_widget as imd
    >>> X = np.arange(100).reshape(100, 1)
    >>> method = imd.Calibrated(max_depth=1, sensitivity=1)
    >>> print(imd.diff(X[:, 0] < 40, X[:, 0] < 60, X, method=method, measure="none").rules[0])
    x0 >= 40: False -> True (20 of 60 rows differ)
    """

    #: The short form of ``method=``.
    name = "calibrated"

    min_samples_leaf: int = option(5, "int", "", check=_positive)
    diff_weight: float = option(
        5.0,
        "float",
        'Only for "calibrated": weight of the differences in the choice of a shared split, '
        "relative to imitating the two models. It is at least ``4 / H`` if less than 2 % of the "
        "rows differ, where ``H`` is the entropy of differing in bits. 0: imitate the models only.",
        check=_weight,
    )
    rule_cost: float = option(
        0.005,
        "float",
        'Only for "calibrated": a split is kept if it gains more than this share of all differing '
        'rows, plus one row; four times the share with given="margins". 0 keeps every split that '
        "gains anything.",
        check=_weight,
    )
    max_rules: int | None = option(
        None,
        "int",
        'Only for "calibrated": maximum number of rules; ``rule_cost`` is raised until it is '
        "reached.",
        check=_positive_or_none,
        flag=Flag("--max-rules", "maximum number of rules", "N"),
    )
    sensitivity: float | None = option(
        None,
        "float",
        'Only for "calibrated": share of the differing rows that the rules should cover, from 0 to '
        "1; a larger share lowers precision. None: maximise the mean of F1 and the Matthews "
        "correlation.",
        check=_sensitivity,
        flag=Flag(
            "--sensitivity",
            "share of the differing rows that rules should cover (default: best balance)",
            "SHARE",
        ),
    )
    given: GivenChoice | None = option(
        None,
        '{"m1", "m2", "auto", "margins"}',
        'Only for "calibrated": the model whose output rules may use, as in "LR is benign and age '
        '< 40"; "auto" chooses the model with which the rules explain more. The rules then answer '
        "another question: where does the other model differ, given this output? They need that "
        'output for new rows. "margins": rules use only how sure the models are; for two classes '
        "that is the probability that one model gives, the model with which the rules explain "
        "more; for more classes, the probability of the likeliest class of each model minus that "
        "of the next one. For classes, ``predict_proba`` is called too. None: rules use the "
        "columns alone.",
        check=_given,
        flag=Flag(
            "--given",
            "let rules use the output of this model; auto: the one with which they explain more; "
            "margins: how sure the models are, with probabilities",
        ),
        not_large=NotLarge("", lambda value: value == "margins"),
    )
    scores: bool = option(
        False,
        "bool",
        'Only for "calibrated", and for classes: rules may also use a score of either model, a sum '
        "of points over at most five columns. At 0 the model changes its prediction, so that "
        '"RF\'s score is -3 to 2" is near the line where it does. The rules find more of the '
        "differences, in fewer conditions; text, SQL and queries use the columns of the table.",
        check=_flag,
        flag=Flag("--scores", "let rules use a sum of points over a few columns for each model"),
    )
    sets: bool = option(
        False,
        "bool",
        'Only for "calibrated": one split may separate several levels of a category, as in "job is '
        'one of nurse, cook". The levels are sorted by how often the models differ and cut once; '
        "levels of fewer than 20 rows stay together. By default a split separates one level.",
        check=_flag,
        flag=Flag("--sets", "let one split separate several levels of a category"),
        not_large=NotLarge("", bool),
    )
    augment: Augment | None = option(
        None,
        '{"neighbours"}',
        'Only for "calibrated": call the models with new rows between those of the table, and grow '
        "the tree on them too. For small tables (below about 2,000 rows) and models that can be "
        "called. New rows are not counted in any rule or metric.",
        check=_augment,
        not_large=NotLarge("new rows between those of the table need the table in memory"),
    )


@dataclass(frozen=True, kw_only=True)
class Imd(Method):
    """The joint tree of the paper: every pair of leaves with different outputs is a rule.

    Parameters
    ----------
    max_depth, min_samples_leaf, alpha
        See `imd_widget.diff`.
    """

    #: The short form of ``method=``.
    name = "imd"

    alpha: float | None = option(
        None,
        "float",
        'Only for "imd": use condition (5) of the paper instead of (6). The surrogates separate '
        "where their best separate splits together cost at most ``alpha`` times the best common "
        "split. At most 1.",
        check=_alpha,
    )


@dataclass(frozen=True, kw_only=True)
class Separate(Method):
    """Two trees that share no splits.

    Parameters
    ----------
    max_depth, min_samples_leaf
        See `imd_widget.diff`.
    """

    #: The short form of ``method=``.
    name = "separate"


@dataclass(frozen=True, kw_only=True)
class Direct(Method):
    """One decision tree on whether the models differ.

    Parameters
    ----------
    max_depth, min_samples_leaf
        See `imd_widget.diff`.
    """

    #: The short form of ``method=``.
    name = "direct"


#: The methods by their names.
METHOD_TYPES: dict[str, type[Method]] = {
    kind.name: kind for kind in (Calibrated, Imd, Separate, Direct)
}


#: Names that `method_to_plain` writes.
KNOWN_OPTIONS = frozenset({"method", *(one.name for one in fields(Method))})


def method_from_plain(plain: Mapping[str, Any]) -> Method:
    """Return the method that `method_to_plain` wrote; options that a file lacks have defaults."""
    kind = METHOD_TYPES.get(plain["method"])
    if kind is None:
        raise ValueError(f"method is {shown(plain['method'])}")
    own = {one.name for one in fields(kind) if one.init}
    return kind(**{name: value for name, value in plain.items() if name in own})


def method_to_plain(method: Method) -> dict[str, Any]:
    """Return the name of a method and its options, also those that only other methods have."""
    return {
        "method": method.name,
        **{one.name: getattr(method, one.name) for one in fields(method)},
    }
