"""The options of `diff`, `compare` and `show`: declared and checked in one place.

`DiffOptions` has their names and types, for signatures. The fields of `Options`, and those of the
methods, hold defaults, checks and descriptions. A new option is a line of `DiffOptions`, and a
field.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from textwrap import fill
from typing import Any, Literal, TypedDict, TypeVar, cast, get_args, get_type_hints

import numpy as np

from imd_widget._base.errors import Argument, Given, InputError, InPython, Message, Setting
from imd_widget._base.kinds import OutputChoice
from imd_widget._base.options import Flag, NotLarge, Option, check_options, option, options_of
from imd_widget._base.shares import read_percent
from imd_widget._base.validation import check_whole, is_number
from imd_widget.comparison.losses import LOSS_NAMES, LossName
from imd_widget.data.derivation import FROM_DATES, FROM_TEXTS
from imd_widget.data.deriving import Derive
from imd_widget.methods import METHOD_TYPES, Augment, GivenChoice, Method, MethodName
from imd_widget.models.adapters import can_predict
from imd_widget.outputs.base import OutputOptions, RelativeTolerance, Tolerance
from imd_widget.outputs.dissimilarity import Dissimilarity, check_dissimilarity
from imd_widget.outputs.registry import CHOICES, check_output_options

#: How a diff is measured; "auto" chooses between "holdout" and "cv".
Measure = Literal["auto", "holdout", "cv", "none"]
F = TypeVar("F", bound=Callable[..., Any])


class EvaluateOptions(TypedDict, total=False):
    """Names and types of the options that `evaluate` passes on to `diff`."""

    names: Sequence[str] | None
    outputs: OutputChoice
    tolerance: float | str | None
    pos_label: Any
    class_names: Mapping[Any, str] | Sequence[str] | None
    dissimilarity: Dissimilarity | None
    max_bins: int | None


class DiffOptions(EvaluateOptions, total=False):
    """Names and types of all options of `diff`."""

    y: Any
    loss: Callable[[Any, Any], Any] | LossName | None
    columns: Sequence[Hashable] | None
    derive: Derive
    feature_names: Sequence[str] | None
    by: Any
    max_depth: int
    method: Method | MethodName
    alpha: float | None
    diff_weight: float
    min_samples_leaf: int | None
    rule_cost: float
    max_rules: int | None
    sensitivity: float | None
    given: GivenChoice | None
    scores: bool
    sets: bool
    augment: Augment | None
    subsample: int | None
    test_size: float
    holdout: Any
    measure: Measure
    groups: Any
    random_state: int
    sample_weight: Any
    batch_size: int | None
    tags: Mapping[str, str] | None


def _loss(name: str, value: Any) -> Any:
    if value is None or callable(value) or (isinstance(value, str) and value in LOSS_NAMES):
        return value
    raise InputError(
        Given(name, value),
        f" is not known. Choose one of {', '.join(LOSS_NAMES)}",
        InPython(
            "; or pass a function of y and the outputs of a model that returns a number for each "
            "row, such as lambda y, output: (output - y) ** 2"
        ),
        ".",
    )


def _tags(name: str, value: Any) -> Mapping[str, str] | None:
    if value is None:
        return None
    if isinstance(value, Mapping) and all(
        isinstance(part, str) for pair in value.items() for part in pair
    ):
        return dict(value)
    raise InputError(
        Given(name, value),
        ": a dict from names to texts is needed",
        InPython(', such as {"release": "2.1"}'),
        ".",
    )


def _method(name: str, value: Any) -> Any:
    if isinstance(value, Method) or (isinstance(value, str) and value in METHOD_TYPES):
        return value
    raise InputError(Given(name, value), f" is not known. Choose one of {', '.join(METHOD_TYPES)}.")


def _bins(name: str, value: Any) -> int | None:
    if value is not None:
        check_whole(name, value, 2, 65_535)
    return None if value is None else int(value)


def _sample(name: str, value: Any) -> int | None:
    if value is not None:
        check_whole(name, value, 2)
    return None if value is None else int(value)


def _batch_size(name: str, value: Any) -> int | None:
    if value is not None:
        check_whole(name, value, 1)
    return None if value is None else int(value)


def _share(name: str, value: Any) -> float:
    if not (is_number(value) and 0 <= value < 1):
        raise InputError(
            Given(name, value),
            ": the share of rows to keep aside is a number from 0 to below 1, for example 0.25.",
        )
    return float(value)


def _seed(name: str, value: Any) -> int:
    check_whole(name, value, 0, None)
    return int(value)


def _measure(name: str, value: Any) -> Any:
    choices = get_args(Measure)
    if not (isinstance(value, str) and value in choices):
        raise InputError(
            Given(name, value),
            f" is not known. Choose one of {', '.join(choices)}: rows kept aside, five folds, or "
            "the rows used to fit.",
        )
    return value


def _derive(name: str, value: Any) -> Derive:
    if value is None or (isinstance(value, str) and value == "auto"):
        return cast("Derive", value)
    known = (*FROM_DATES, *FROM_TEXTS)
    if isinstance(value, Mapping):
        asked = {
            column: (parts,) if isinstance(parts, str) else tuple(parts)
            for column, parts in value.items()
            if isinstance(parts, Iterable)
        }
        parts = [part for own in asked.values() for part in own]
        if len(asked) == len(value) and all(isinstance(one, str) and one in known for one in parts):
            return asked
    raise InputError(
        Given(name, value),
        ': choose "auto", None, or the columns and what to derive from each: '
        f"{', '.join(FROM_DATES)} from dates; {', '.join(FROM_TEXTS)} from texts",
        InPython(', for example derive={"review": ["words", "length"], "pickup": ["hour"]}'),
        ".",
    )


def _outputs(name: str, value: Any) -> Any:
    if not (isinstance(value, str) and value in CHOICES):
        raise InputError(
            Given(name, value),
            f" is not known. Choose one of {', '.join(CHOICES)}: classes, "
            "probabilities of a class, values, or whatever the outputs look like.",
        )
    return value


def _tolerance(name: str, value: Any) -> Tolerance | None:
    del name
    return None if value is None else read_tolerance(value)


def read_tolerance(tolerance: Any) -> Tolerance:
    """Return a tolerance: a number from 0 up, or a text such as "10 %"."""
    if isinstance(tolerance, RelativeTolerance):
        return tolerance
    share = read_percent(tolerance) if isinstance(tolerance, str) else None
    if share is not None and 0 < share < 1:
        return RelativeTolerance(share)
    if is_number(tolerance) and 0 <= tolerance < np.inf:
        return cast("float", tolerance)
    raise InputError(
        Given("tolerance", tolerance),
        ": how far two outputs may be apart and still count as the same is a number from 0 up, or "
        'a share of the larger of them between 0 and 100 %, such as "10 %"; None takes a share of '
        "their spread.",
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """The options of a diff, checked; those of its method are in ``method``."""

    y: Any = option(
        None,
        "array of shape (n_rows,), or the name of a column",
        "The true outputs; missing values are allowed. They do not change any rule; the diff "
        "reports which model is right, over all rows and for each rule. To see where one model is "
        "wrong, pass the truth as ``m2``.",
    )
    loss: Callable[[Any, Any], Any] | LossName | None = option(
        None,
        '{"absolute", "squared", "log_loss", "deviance"} or callable',
        "The loss that matters: reports then show its mean for both models, and the paired "
        'difference, over all rows and for each rule. "log_loss" is for probabilities; '
        '"deviance", that of Poisson, for counts. A function is called as ``loss(y, output)`` with '
        "the rows that have a truth, and returns a number for each row, such as ``lambda y, "
        "output: (output - y) ** 2``. Not computed for more than 5,000,000 rows.",
        check=_loss,
        flag=Flag(
            "--loss",
            "with --y: the mean loss of both models in the report, over all rows and for each "
            "rule; log_loss is for probabilities, deviance for counts",
        ),
    )
    names: Sequence[str] | None = option(
        None,
        "sequence of two str",
        "Names of the models; by default the names of their classes.",
    )
    columns: Sequence[Hashable] | None = option(
        None,
        "sequence of column names",
        "The columns that rules may use; the models get the whole table. None: all columns.",
    )
    derive: Derive = option(
        "auto",
        '{"auto"}, dict or None',
        "Further columns that rules may use, derived from dates and texts. The models get the "
        'table as it is. "auto": hour, weekday and month of dates that span at least two days, '
        "weeks or years; words and pairs of words, length, and signs such as digits and links of "
        "free text (mostly distinct values of several words). A dict names what to derive "
        'from each column, for example ``{"review": ["words", "length"], "pickup": ["hour"]}``: '
        '"hour", "part_of_day", "weekday", "month", "day" and "weekend" from dates, "words", '
        '"length" and "signs" from texts. None: nothing.',
        check=_derive,
        flag=Flag(
            "--derive",
            "what to derive from dates and texts: auto (default), none, or a list for each column, "
            "such as review=words,length or pickup=hour,weekday",
            "COL=PARTS",
        ),
    )
    feature_names: Sequence[str] | None = option(
        None,
        "sequence of str",
        "Names of the columns of an array; by default x0, x1, ...",
        not_large=NotLarge("its columns have names"),
    )
    by: Any = option(
        None,
        "str, list of str, or array of shape (n_rows,)",
        "A column name or one value per row. `ModelDiff.by` then holds the rate of each group, "
        "over all rows and in each rule, how its rows differ and what is fixed and broken, to see "
        "which groups are affected. A list of names: the groups of these columns together. It does "
        "not change any rule. The 11 largest groups are shown and the others together (23 for "
        "several columns); numbers and dates with more than 12 values are cut into 4 ranges. "
        "``d.check(group_breaks=...)`` checks every group.",
        flag=Flag(
            "--by",
            "report how often and how the models differ for each value of this column, over all "
            "rows and in each rule, on stdout and in .html, .json, .csv and .md; several columns: "
            "for each combination of their values",
            "COL",
            several=True,
        ),
        not_large=NotLarge(
            "groups are counted on a table in memory; d.cohort measures one at a time"
        ),
    )
    method: Method = option(
        "calibrated",
        '{"calibrated", "imd", "separate", "direct"} or method',
        '"calibrated": a joint tree that is grown for the differences and pruned to the few splits '
        'that isolate them; regions become rules by their rate of difference. "imd": the paper\'s '
        'joint tree. "separate": two trees that share no splits. "direct": one decision tree on '
        "whether the models differ. Also a method with its options, such as "
        "``imd.Calibrated(max_rules=5)``.",
        check=_method,
        flag=Flag("--method", "default: calibrated"),
    )
    max_bins: int | None = option(
        255,
        "int or None",
        "Maximum number of quantile bins per column. None: one threshold between each two "
        "neighbouring values.",
        check=_bins,
        not_large=NotLarge(
            "a threshold between every two values needs the table in memory; give a number of bins",
            lambda value: value is None,
        ),
    )
    subsample: int | None = option(
        200_000,
        "int or None",
        "Maximum number of rows from which the quantiles of ``max_bins`` are computed. They are "
        "chosen by a hash of the row number and ``random_state``. Up to this many rows, the order "
        "of the rows does not matter. None: all rows.",
        check=_sample,
        not_large=NotLarge(
            "all values at once need the table in memory; give a number of rows",
            lambda value: value is None,
        ),
    )
    test_size: float = option(
        0.25,
        "float",
        "Share of the rows that are kept aside to measure the diff. 0: none.",
        check=_share,
        flag=Flag(
            "--test-size", "share of the rows kept aside to measure on (default: 0.25)", "SHARE"
        ),
    )
    holdout: Any = option(
        None,
        "table, tuple or boolean array",
        "Your own rows to measure on, instead of ``test_size``: a table with the same columns, on "
        "which both models are called too; ``(table, y)`` or ``(table, y, sample_weight)``; or a "
        "mask of the rows of ``X`` to keep aside.",
        not_large=NotLarge(
            "rows of your own to measure on need the table in memory; test_size is the share of "
            "rows that are kept aside"
        ),
    )
    measure: Measure = option(
        "auto",
        '{"auto", "holdout", "cv", "none"}',
        'How the diff is measured. "holdout": on rows kept aside, which are not used to fit. "cv": '
        "the rules are fitted on all rows, and the figures come from five folds, each predicted by "
        'rules fitted on the other four. "none": on the rows used to fit. "auto": "cv" if fewer '
        "than 50 of the rows kept aside would differ, if fewer than 20 groups would be kept aside, "
        "or if a few weights would dominate; otherwise, and always with ``holdout`` or "
        '``augment``, "holdout".',
        check=_measure,
        flag=Flag(
            "--measure",
            "on rows kept aside (holdout), by five folds (cv), or on the rows used to fit (none); "
            "auto, the default: by folds if few of the rows kept aside would differ",
        ),
        not_large=NotLarge(
            'folds are fitted on a table in memory; "holdout" keeps rows aside',
            lambda value: value == "cv",
        ),
    )
    groups: Any = option(
        None,
        "str or array of shape (n_rows,)",
        "The group of each row, such as the user or the patient, or the name of a column that "
        "holds it. Rows of one group are kept aside together, and intervals account for the "
        "groups. Otherwise a rule about one user can look like a rule about all users.",
        not_large=NotLarge("the rows of a group may lie in any partition"),
    )
    random_state: int = option(
        0,
        "int",
        "Seed for the choice of the rows kept aside, or of the folds.",
        check=_seed,
        flag=Flag("--random-state", "chooses the rows kept aside (default: 0)", "N"),
    )
    outputs: OutputChoice = option(
        "auto",
        '{"auto", "class", "proba", "value"}',
        'What is compared. "class": labels of any hashable type, which are equal or not. "proba": '
        "the probability of a class, from ``predict_proba`` if a model has it. "
        '"value": numbers, such as those of a regression. "auto" reads numbers as values if a '
        "model is a regressor, if they are not whole, or if there are more than 100 distinct "
        "floats or 1,000 distinct integers; as probabilities if such numbers of both models are "
        "from 0 to 1 and neither is a regressor; and everything else as classes. "
        "`ModelDiff.outputs` holds the choice.",
        check=_outputs,
        flag=Flag(
            "--outputs",
            "what the outputs are: labels (class), probabilities of one class (proba) or other "
            "numbers (value). auto, the default, goes by what they look like: text and whole "
            "numbers are labels, other numbers are probabilities if all of both are from 0 to 1, "
            "else values",
        ),
    )
    tolerance: Tolerance | None = option(
        None,
        "float or str",
        'Only for "proba" and "value": outputs differ if they are more than this apart. By default '
        "0.1 for probabilities; for values a tenth of the range that the middle 90 % of both "
        'models\' outputs span, rounded to two digits. For "value" also a share of the larger '
        'output: "10 %".',
        check=_tolerance,
        flag=Flag(
            "--tolerance",
            "numbers that are more than this apart differ; 10%% of the larger one for values",
            "X",
        ),
    )
    pos_label: Any = option(
        None,
        "label",
        'Only for "proba": the class whose probability is compared; by default the second of two.',
    )
    class_names: Mapping[Any, str] | Sequence[str] | None = option(
        None,
        "dict or sequence of str",
        "Names to show for labels: a mapping, or one name for each label in sorted order.",
    )
    dissimilarity: Dissimilarity | None = option(
        None,
        "callable or DataFrame",
        "Only for classes: which labels differ. A function of a label of model 1 and a label of "
        "model 2 that returns True or a number above 0 if they do, such as "
        "``lambda a, b: abs(a - b) > 1`` for grades, or a table of numbers with the labels of "
        "model 1 as its index and those of model 2 as its columns. It is called once for each two "
        "labels. By default labels differ if they are not equal.",
        check=check_dissimilarity,
    )
    sample_weight: Any = option(
        None,
        "array of shape (n_rows,), or the name of a column",
        "Weight of each row; 0 leaves a row out. All shares (rate, coverage, precision, recall) "
        "are then weighted. Numbers of rows are not, also in ``min_samples_leaf``.",
    )
    batch_size: int | None = option(
        None,
        "int",
        "Models are called with at most this many rows at a time, as a service or a graphics card "
        "may need it. None: with the whole table, or in batches that take about a second.",
        check=_batch_size,
    )
    tags: Mapping[str, str] | None = option(
        None,
        "dict of str to str",
        "Names and texts that `ModelDiff.origin` and the file of the diff hold, such as "
        '``{"release": "2.1"}``. They change nothing else.',
        check=_tags,
    )

    def __post_init__(self) -> None:
        check_options(self)

    @classmethod
    def of(cls, given: Mapping[str, Any], function: str = "diff") -> Options:
        """Check the options that the user passed to a function by keyword."""
        check_names(function, given, OPTIONS)
        own = {one.name for one in fields(cls)}
        chosen = cls(**{name: value for name, value in given.items() if name in own})
        method_options = {name: value for name, value in given.items() if name not in own}
        object.__setattr__(chosen, "method", _with_options(chosen.method, method_options))
        check_output_options(chosen.output_options)  # before a model is called
        chosen._check_measure()
        return chosen

    @property
    def output_options(self) -> OutputOptions:
        """The options of how outputs are compared."""
        return OutputOptions(
            self.outputs, self.tolerance, self.pos_label, self.class_names, self.dissimilarity
        )

    def _check_measure(self) -> None:
        """Raise an error if ``measure`` or ``loss`` contradict other options."""
        if self.loss is not None and self.y is None:
            raise InputError(
                Argument("loss"),
                " compares outputs with the truth: pass ",
                Argument("y"),
                " too, or leave it out.",
            )
        if self.holdout is not None and self.measure in ("cv", "none"):
            raise InputError(
                Given("measure", self.measure),
                " measures without rows kept aside, and ",
                Argument("holdout"),
                " gives such rows. Leave one of them out.",
            )
        if self.method.augment is not None and self.measure == "cv":
            raise InputError(
                Given("measure", self.measure),
                " would measure on rows that new rows were made from: with ",
                Argument("augment"),
                " use ",
                Setting("measure", "holdout"),
                ".",
            )

    def check_models(self, models: Mapping[str, Any]) -> None:
        """Raise an error if a model, given by its argument, cannot be called with new rows."""
        if self.method.augment is None:
            return
        for name, model in models.items():
            if not can_predict(model):
                raise InputError(
                    Argument("augment"),
                    " calls the models with new rows, and ",
                    Argument(name),
                    " is an array of outputs. Pass the model itself or a function, or leave "
                    "augment out.",
                )

    def check_large(self) -> None:
        """Raise an error if a table that is read in partitions cannot have an option."""
        values = {one.name: getattr(self, one.name) for one in options_of(self)}
        values |= {one.name: getattr(self.method, one.name) for one in options_of(self.method)}
        for name, value in values.items():
            refused = OPTIONS[name].not_large
            if refused is not None and refused.refuses(value):
                if not refused.reason:
                    raise InputError(Setting(name, value), " needs a table in memory.")
                raise InputError(
                    Argument(name),
                    f" is not supported for partitioned tables: {refused.reason}. Leave it out, or "
                    "pass a table in memory.",
                )


def check_names(function: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise the TypeError of a function that is called with an unknown keyword."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def _with_options(method: Any, options: Mapping[str, Any]) -> Method:
    """Return the method with options that were passed beside it."""
    if isinstance(method, Method):
        for name, value in options.items():
            raise InputError(
                Given(name, value),
                " is an option of the method, which is a value already: write "
                f"{type(method).__name__}({name}={value!r}).",
            )
        return method
    return method_with(METHOD_TYPES[method], options)


def method_with(kind: type[Method], options: Mapping[str, Any]) -> Method:
    """Return a method with options; raise an error for one that it does not have."""
    own = {one.name for one in options_of(kind)}
    for name, value in options.items():
        if name not in own and value != OPTIONS[name].default:
            _check_meaning(name, value, kind.name)
    # None is the default of min_samples_leaf, which depends on the method
    return kind(
        **{
            name: value
            for name, value in options.items()
            if name in own and not (name == "min_samples_leaf" and value is None)
        }
    )


def changed_method(method: Method, options: Mapping[str, Any], name: str | None = None) -> Method:
    """Return the method with other options, or the method of this name.

    Another method keeps the depth; its other options have their defaults unless they are given.
    """
    if name is None or name == method.name:
        present = {one.name: getattr(method, one.name) for one in options_of(method)}
        return method_with(type(method), present | dict(options))
    if method.augment is not None:
        raise InputError(
            Given("method", name),
            ": this diff was fitted with ",
            Setting("augment"),
            ", which other methods do not have. Make the diff again: "
            f'imd.diff(m1, m2, X, method="{name}").',
        )
    known = OPTIONS["method"].checked(name)
    kind = type(known) if isinstance(known, Method) else METHOD_TYPES[known]
    return method_with(kind, {"max_depth": method.max_depth} | dict(options))


def _check_meaning(name: str, value: Any, method: str) -> None:
    """Raise an error about an option that the method does not have."""
    if name in ("diff_weight", "rule_cost"):  # ignored by other methods ever since
        OPTIONS[name].checked(value)
        return
    having = [other for other, kind in METHOD_TYPES.items() if _has(kind, name)]
    others = [Message(" or ", Setting("method", other)) for other in having]
    raise InputError(
        Given(name, value),
        " has no meaning with ",
        Setting("method", method),
        ": leave it out, or use ",
        *Message(*others).parts[1:],
        ".",
    )


def _has(kind: type[Method], name: str) -> bool:
    return any(one.name == name for one in options_of(kind))


def _every_option() -> Iterator[Option]:
    declared = {one.name: one for kind in METHOD_TYPES.values() for one in options_of(kind)}
    shared = {one.name: one for one in options_of(Method)}
    own = {one.name: one for one in options_of(Options)}
    known = declared | shared | own
    # its default depends on the method
    known["min_samples_leaf"] = replace(known["min_samples_leaf"], default=None)
    for name in DiffOptions.__annotations__:
        yield known[name]


#: Every option by its name, in the order of `DiffOptions`.
OPTIONS: dict[str, Option] = {one.name: one for one in _every_option()}


#: Names of the options that some method has.
METHOD_OPTIONS = tuple(
    name for name in OPTIONS if any(_has(kind, name) for kind in METHOD_TYPES.values())
)


def parameters(names: Iterable[str]) -> list[inspect.Parameter]:
    """Return options as parameters of a signature."""
    hints = get_type_hints(DiffOptions)
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=OPTIONS[name].default,
            annotation=hints[name],
        )
        for name in names
    ]


def with_options(**differing: str) -> Callable[[F], F]:
    """Give a function with ``**options: Unpack[DiffOptions]`` the signature and the docstring.

    The line "{options}" of its docstring is replaced by the descriptions of the options.

    Parameters
    ----------
    **differing : str
        Descriptions that are other than those of `diff`; an empty one leaves the option out of the
        docstring.
    """

    def decorate(function: F) -> F:
        own = inspect.signature(function, eval_str=False)
        before = [
            one for one in own.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        given = {one.name for one in before}
        more = parameters(name for name in OPTIONS if name not in given)
        function.__signature__ = own.replace(parameters=[*before, *more])  # type: ignore[attr-defined]
        if function.__doc__ is not None:  # python -OO has none
            texts = {one.name: differing.get(one.name, one.description) for one in OPTIONS.values()}
            lines = [
                f"    {one.name} : {one.type}, {one.default_text}\n{_filled(texts[one.name])}"
                for one in OPTIONS.values()
                if texts[one.name] and one.name not in given
            ]
            function.__doc__ = function.__doc__.replace("    {options}", "\n".join(lines))
        return function

    return decorate


def _filled(text: str) -> str:
    return fill(
        text, 100, initial_indent=" " * 8, subsequent_indent=" " * 8, break_on_hyphens=False
    )
