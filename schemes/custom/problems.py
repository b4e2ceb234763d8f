"""The mistakes in a definition."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemes.contract.written_resources import Mistake, WrittenTextError

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a definition.

    `at` has the names and positions that lead to it. `line` counts from 1, or is None for a
    definition that was not read from text.
    """

    at: Path
    message: str
    line: int | None = None

    @property
    def path(self) -> str:
        """Return the place as text, such as "fields.0.labels.2.key"."""
        return ".".join(map(str, self.at))

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.path + ': ' if self.at else ''}{self.message}"

    def on_line(self, line: int | None) -> "Problem":
        return replace(self, line=line)


class DefinitionError(WrittenTextError):
    """An invalid definition, with all mistakes that were found."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__([Mistake(row.line, row.path, row.message) for row in problems])
        self.problems = tuple(problems)
        self.line = problems[0].line
