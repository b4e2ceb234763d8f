"""Tables and texts for LaTeX."""

from collections.abc import Sequence

_SPECIAL = str.maketrans(
    {
        **{symbol: f"\\{symbol}" for symbol in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)


def latex_text(text: str) -> str:
    """Return a text in which no character has a special meaning."""
    return text.translate(_SPECIAL)


def latex_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table for the package booktabs. The cells are LaTeX, numbers after the first column."""
    lines = [rf"{' & '.join(row)} \\" for row in (header, *rows)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
