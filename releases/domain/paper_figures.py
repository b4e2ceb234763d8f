"""The figures of a paper about a release, whose numbers are those of its tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from releases.domain.paper_tables import Number, PaperTable
from web.charts import Unit, format_value, number_ticks
from web.drawing import SIZE, Drawing, text_width
from web.latex import latex_text

WIDTH = 219.0  # a column of a page with two columns, in points
LABEL = 92.0  # the widest line of a label
LINE = 9.5
BAR = 8.0
GAP = 4.0
MAX_BARS = 20
_UNITS = {"%": Unit.PERCENT, "cents": Unit.DOLLARS}


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its label, and the ends of its interval if it has one.

    `name` is the number's name in numbers.json.
    """

    label: str
    name: str
    value: Number
    ends: tuple[Number, Number] | None = None

    @property
    def sentence(self) -> str:
        ends = f" ({self.ends[0].text} to {self.ends[1].text})" if self.ends else ""
        return f"{self.label}: {self.value.text}{ends}."

    def largest(self) -> float:
        numbers = [self.value, *(self.ends or ())]
        return max(number.value or 0.0 for number in numbers)


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure with a bar, or a point with its interval, in each row."""

    key: str
    caption: str
    axis: str
    bars: Sequence[Bar]

    @property
    def unit(self) -> Unit:
        return _UNITS.get(self.bars[0].value.unit, Unit.NUMBER)


def paper_figures(tables: Sequence[PaperTable]) -> list[PaperFigure]:
    """Return the figures that have at least two numbers."""
    by_key = {table.key: table for table in tables}
    figures = [
        PaperFigure("workers", "Workers from training to accepted annotations", "Workers", bars)
        for bars in [[*_training(by_key), *_people(by_key)]]
    ]
    for key, column, caption, axis in (
        ("quality", "Value", "Agreement and quality with 95 % intervals", "Share"),
        ("cost", "Paid", "Pay of workers, without fees", "US dollars"),
    ):
        if table := by_key.get(key):
            figures.append(PaperFigure(key, caption, axis, list(_bars(table, column))))
    figures += [_counts(table) for key, table in by_key.items() if key.startswith("statistics")]
    return [figure for figure in figures if len(figure.bars) > 1]


def _training(tables: Mapping[str, PaperTable]) -> Iterator[Bar]:
    """Yield how many workers were invited to the first round, and how many passed each round."""
    if table := tables.get("training"):
        first = list(_bars(table, "Invited", "{}: invited"))[:1]
        began = list(_bars(table, "Began", "{}: began"))[:1]
        yield from (*first, *began, *_bars(table, "Passed", "{}: passed"))


def _people(tables: Mapping[str, PaperTable]) -> Iterator[Bar]:
    if table := tables.get("people"):
        yield from _bars(table, "Workers", "Annotated as {}")


def _counts(table: PaperTable) -> PaperFigure:
    """Return the counts in the first column of a statistics table, such as the units of each type.

    Other figures, and counts that do not differ, have no bars.
    """
    column = table.columns[1]
    bars = list(_bars(table, column))
    values = {bar.value.value for bar in bars}
    if len(values) < 2 or not all(isinstance(value, int) for value in values):
        bars = []
    caption = table.caption if len(bars) <= MAX_BARS else f"{table.caption} (the first {MAX_BARS})"
    return PaperFigure(table.key, caption, column, bars[:MAX_BARS])


def _bars(table: PaperTable, column: str, label: str = "{}") -> Iterator[Bar]:
    """Yield the defined numbers of a column in the unit of the first, with their intervals."""
    unit = None
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        number = cells[column]
        if not isinstance(number, Number) or number.value is None:
            continue
        unit = number.unit if unit is None else unit
        if number.unit == unit:
            low, high = cells.get("Low"), cells.get("High")
            has_ends = isinstance(low, Number) and low.value is not None
            ends = (low, high) if has_ends else None
            yield Bar(label.format(row[0]), table.name_of(row, column), number, ends)  # type: ignore[arg-type]


def draw_figure(figure: PaperFigure) -> Drawing:
    """Draw the figure in the width of a column. It has no title, because papers have captions."""
    labels = [_wrapped(bar.label) for bar in figure.bars]
    heights = [max(BAR, LINE * len(lines)) + GAP for lines in labels]
    bottom = sum(heights) + GAP
    drawing = Drawing(
        title=figure.caption,
        description=" ".join(bar.sentence for bar in figure.bars),
        width=WIDTH,
        height=bottom + 2 * LINE + GAP + 2,
    )
    left = max(text_width(line) for lines in labels for line in lines) + 2 * GAP
    right = WIDTH - max(text_width(bar.value.text) for bar in figure.bars) - 2 * GAP
    ticks = _ticks(figure)
    scale = (right - left) / ticks[-1]
    for tick in ticks:
        x = left + scale * tick
        drawing.line((x, GAP), (x, bottom), grey=0.85)
        drawing.line((x, bottom), (x, bottom + 2))
        drawing.text(x, bottom + LINE + 1, format_value(tick, figure.unit), anchor="middle")
    drawing.text((left + right) / 2, bottom + 2 * LINE + 2, figure.axis, anchor="middle")
    y = GAP
    for bar, lines, height in zip(figure.bars, labels, heights, strict=True):
        middle = y + (height - GAP) / 2
        for at, line in enumerate(lines):
            baseline = middle + SIZE * 0.36 + LINE * (at - (len(lines) - 1) / 2)
            drawing.text(left - GAP, baseline, line, anchor="end")
        _draw_bar(drawing, bar, left, scale, middle)
        drawing.text(WIDTH, middle + SIZE * 0.36, bar.value.text, anchor="end")
        y += height
    drawing.line((left, GAP / 2), (left, bottom))
    drawing.line((left, bottom), (right, bottom))
    return drawing


def _draw_bar(drawing: Drawing, bar: Bar, left: float, scale: float, middle: float) -> None:
    length = scale * max(bar.value.value or 0.0, 0.0)
    if bar.ends is None:
        drawing.rectangle((left, middle - BAR / 2), (length, BAR), grey=0.45)
        return
    low, high = (left + scale * max(end.value or 0.0, 0.0) for end in bar.ends)
    drawing.line((low, middle), (high, middle), width=1)
    for end in (low, high):
        drawing.line((end, middle - 2.5), (end, middle + 2.5), width=1)
    drawing.rectangle((left + length - 2.2, middle - 2.2), (4.4, 4.4), grey=0)


def _ticks(figure: PaperFigure) -> list[float]:
    """Return round numbers from zero on, about as many as labels find place for."""
    if figure.unit is Unit.PERCENT:
        return [0.0, 0.5, 1.0]
    largest = max(bar.largest() for bar in figure.bars)
    ticks = number_ticks(0.0, largest, is_whole=True)
    return ticks[:: 2 if len(ticks) % 2 else len(ticks) - 1]


def _wrapped(label: str) -> list[str]:
    """Return the lines of a label. A word that is too long for a line is cut."""
    lines = [""]
    for word in label.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer) <= LABEL:
            lines[-1] = longer
        else:
            lines.append(_cut(word))
    return [line for line in lines if line] or [""]


def _cut(word: str) -> str:
    if text_width(word) <= LABEL:
        return word
    while text_width(f"{word}…") > LABEL:
        word = word[:-1]
    return f"{word}…"


def figure_files(figures: Sequence[PaperFigure]) -> dict[str, bytes]:
    """Return the files of the figures. A label in letters that Helvetica lacks leaves its PDF out."""
    files: dict[str, bytes] = {}
    with_pdf = []
    for figure in figures:
        drawing = draw_figure(figure)
        files[f"{figure.key}.svg"] = drawing.as_svg()
        if pdf := drawing.as_pdf():
            files[f"{figure.key}.pdf"] = pdf
            with_pdf.append(figure)
    files["figures.tex"] = figures_tex(with_pdf).encode()
    return files if figures else {}


def figures_tex(figures: Sequence[PaperFigure]) -> str:
    """Return the figures for LaTeX, with the names of their numbers. They need the package graphicx."""
    return "% Needs \\usepackage{graphicx}\n" + "".join(map(_figure_tex, figures))


def _figure_tex(figure: PaperFigure) -> str:
    names = "".join(f"% numbers.json: {bar.name}\n" for bar in figure.bars)
    return (
        f"\n{names}\\begin{{figure}}\n\\centering\n\\includegraphics{{figures/{figure.key}.pdf}}\n"
        f"\\caption{{{latex_text(figure.caption)}}}\n\\label{{fig:{figure.key}}}\n\\end{{figure}}\n"
    )
