"""The words of a scheme."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemes.contract.values import Noun

SENTENCES = Noun("sentence", "sentences")


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """The title and description of a role's HITs."""

    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The scheme's words.

    `item` is the unit of annotation, and `unit` is the unit of pay. `tasks` maps roles to texts, and
    `keywords` are those of HITs. `pay_presets` maps names to pay schemes (see
    `crowd.domain.money.pay_scheme`), the default first, and `pay_titles` are their names for people.
    `row` is what corpora have in a row or line. It is the item if each row is one. `task_categories` are
    the names of dataset hubs for tasks that the gold can train.
    """

    item: Noun
    unit: Noun
    tasks: Mapping[str, TaskTexts]
    keywords: str
    pay_presets: Mapping[str, Mapping[str, Mapping[str, int]]]
    pay_titles: Mapping[str, str] = field(default_factory=dict)
    row: Noun = SENTENCES
    task_categories: Sequence[str] = ()

    def pay_title(self, preset: str) -> str:
        """Return a preset's name for people."""
        return self.pay_titles.get(preset, preset)
