"""`draw_matrix`: the matrix of two or more models, in a new figure or in given axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from imd_widget._base.errors import InputError, warn
from imd_widget.plot.colors import LIGHT, Theme, theme_on
from imd_widget.plot.marks import Mark, Sheet, Words, rounded
from imd_widget.plot.painter import paint
from imd_widget.plot.rc_lock import serialised
from imd_widget.plot.text import SMALL, TEXT, Font, cut_middle, harmless
from imd_widget.plot.tree_figure import MARGIN, check_axes, figure_of, new_axes
from imd_widget.views.schema import ComparisonView

ORDERS = ("similarity", "given")
#: The shade of the largest share: one hue, whose lightness is readable in grey print too.
SHADE = "#0072b2"
#: Least height and width of a cell, in points, and the space around the text in it.
CELL_HEIGHT, CELL_WIDTH, PAD = 22.0, 26.0, 4.0
#: Most room of a name, in points.
LONGEST_NAME = 150.0
_GAP = 6.0
_LINE = 13.0
#: Smallest readable text, in points.
_SMALLEST_TEXT = 5.0


@dataclass(frozen=True)
class MatrixPicture:
    """A matrix with its names and its key, in points."""

    marks: list[Mark]
    width: float
    height: float


@serialised
def draw_matrix(view: ComparisonView, ax: Axes | None = None, *, order: str = "similarity") -> Axes:
    """Draw the matrix of a comparison with matplotlib.

    Parameters
    ----------
    view : ComparisonView
        The view of a comparison, from `imd_widget.views.comparison.comparison_view`.
    ax : Axes, optional
        The axes to draw into; the matrix and its text are scaled to fit. None: a new figure.
    order : {"similarity", "given"}, default="similarity"
        The order of the models.

    Returns
    -------
    Axes
        The axes drawn into.
    """
    if ax is not None:
        check_axes(ax)
    background = rcParams["figure.facecolor"] if ax is None else ax.figure.get_facecolor()
    font = Font.wanted()
    picture = _picture(view, _ordered(view, order), font, theme_on(background))
    if ax is None:
        ax = new_axes(picture.width, picture.height)
    scale = paint(ax, picture.marks, picture.width, picture.height, font)
    if scale * SMALL < _SMALLEST_TEXT:
        inches = f"{picture.width / 72:.1f} x {picture.height / 72:.1f} inches"
        warn(
            f"In these axes the text of the matrix has {scale * SMALL:.1f} points, too small to "
            f"read. Give it up to {inches}, as a figure of its own has (ax=None)."
        )
    return ax


@serialised
def matrix_figure(view: ComparisonView, *, order: str = "similarity") -> Figure:
    """Return the matrix in a figure that pyplot does not manage; for files.

    The font is the same on every machine. See `draw_matrix` for the parameters.
    """
    font = Font.sure()
    picture = _picture(view, _ordered(view, order), font, LIGHT)
    return figure_of(picture.marks, picture.width, picture.height, font)


def _ordered(view: ComparisonView, order: str) -> list[int]:
    if order not in ORDERS:
        raise InputError(
            f'order={order!r}: models stand by "similarity", or as "given"; choose one.'
        )
    return list(view.order) if order == "similarity" else list(range(len(view.names)))


def _picture(view: ComparisonView, order: Sequence[int], font: Font, theme: Theme) -> MatrixPicture:
    names = [
        cut_middle(harmless(view.names[at]), LONGEST_NAME, partial(font.width, size=TEXT))
        for at in order
    ]
    texts = [[_text(view, i, j) for j in order] for i in order]
    widest = max(font.width(text, SMALL, bold=True) for row in texts for text in row)
    cell_width = max(CELL_WIDTH, widest + 2 * PAD)
    longest = max(font.width(name, TEXT) for name in names)
    left, top = MARGIN + longest + _GAP, MARGIN + longest + _GAP
    sheet = Sheet()
    for at, name in enumerate(names):
        y = top + (at + 0.5) * CELL_HEIGHT + 0.36 * TEXT
        sheet.text(left - _GAP, y, name, theme.ink, anchor="right")
        x = left + (at + 0.5) * cell_width + 0.36 * TEXT
        sheet.marks.append(Words(x, top - _GAP, name, theme.ink, TEXT, upright=True))
    largest = max(map(max, view.shares)) or 1.0
    for row, i in enumerate(order):
        for column, j in enumerate(order):
            corner = left + column * cell_width, top + row * CELL_HEIGHT
            share = view.shares[i][j] / largest
            best = view.scores is not None and view.scores[i].best
            _cell(
                sheet,
                corner,
                cell_width,
                texts[row][column],
                None if i == j else share,
                i == j and best,
                theme,
            )
    below = top + len(order) * CELL_HEIGHT + _LINE
    for line in _key(view):
        sheet.small(MARGIN, below, line, theme.soft)
        below += _LINE
    key = max(font.width(line, SMALL) for line in _key(view))
    width = max(left + len(order) * cell_width, MARGIN + key) + MARGIN
    return MatrixPicture(sheet.marks, width, below - _LINE / 2 + MARGIN)


def _cell(
    sheet: Sheet,
    corner: tuple[float, float],
    width: float,
    text: str,
    shade: float | None,
    bold: bool,
    theme: Theme,
) -> None:
    """Add a cell; ``shade`` is None on the diagonal, which is outlined."""
    x, y = corner
    fill = theme.ground if shade is None else _mixed(theme.ground, SHADE, shade)
    stroke = theme.line if shade is None else None
    box = rounded(x + 0.75, y + 0.75, width - 1.5, CELL_HEIGHT - 1.5, 2)
    sheet.draw(box, fill=fill, stroke=stroke, width=0.8)
    ink = theme.ink if shade is None else _ink_on(fill)
    y += CELL_HEIGHT / 2 + 0.36 * SMALL
    sheet.small(x + width / 2, y, text, ink, bold=bold, anchor="center")


def _text(view: ComparisonView, i: int, j: int) -> str:
    """Return a share in percent without its sign; of one model its score."""
    if i == j:
        return harmless(view.scores[i].text) if view.scores is not None else "–"
    share = view.shares[i][j]
    if 0 < share < 0.0005:
        return "<0.1"
    if 0.9995 < share < 1:
        return ">99.9"
    return f"{100 * share:.1f}" if 0 < share < 1 else f"{100 * share:.0f}"


def _key(view: ComparisonView) -> list[str]:
    by_weight = ", by weight" if view.weighted else ""
    apart = f" ({view.differs})" if view.differs else ""
    rows = f"{view.n_rows:,} rows" if view.n_rows != 1 else "1 row"
    lines = [f"% of {rows} on which two models differ{apart}{by_weight}"]
    if view.scores is not None:
        several = sum(score.best for score in view.scores) > 1
        which = "in bold those not told apart from the best" if several else "the best in bold"
        lines.append(f"diagonal: {view.score_name}, {which}")
    return lines


def _mixed(ground: str, shade: str, part: float) -> str:
    ends = zip(to_rgb(ground), to_rgb(shade), strict=True)
    red, green, blue = (a + (b - a) * part for a, b in ends)
    return to_hex((red, green, blue))


def _ink_on(fill: str) -> str:
    """Return black or white, whichever has the larger contrast (WCAG)."""
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(fill)]
    luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"
