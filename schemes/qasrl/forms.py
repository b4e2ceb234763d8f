"""The five forms of a verb, by the names of the published files."""

from collections.abc import Mapping
from dataclasses import dataclass

from schemes.base import ContentError

FORM_NAMES = ("stem", "presentSingular3rd", "presentParticiple", "past", "pastParticiple")
# As the published column `verb_slot_inflection` spells them.
INFLECTIONS = {
    "stem": "Stem",
    "presentSingular3rd": "PresentSingular3rd",
    "presentParticiple": "PresentParticiple",
    "past": "Past",
    "pastParticiple": "PastParticiple",
}
MAX_FORM_LENGTH = 60


@dataclass(frozen=True, slots=True)
class VerbForms:
    """Lower case, none empty, no blanks."""

    stem: str
    present_singular_3rd: str
    present_participle: str
    past: str
    past_participle: str

    def by_name(self) -> dict[str, str]:
        """Keyed as the QA-SRL Bank's `verbInflectedForms`."""
        return dict(
            zip(
                FORM_NAMES,
                (
                    self.stem,
                    self.present_singular_3rd,
                    self.present_participle,
                    self.past,
                    self.past_participle,
                ),
                strict=True,
            )
        )

    def inflection_of(self, form: str) -> str:
        """The published name of one of FORM_NAMES.

        A participle spelled as the past is called Past, a past spelled as the stem Stem: "carried"
        is always Past, "cut" always Stem, but "run" in "was run" PastParticiple.
        """
        if form == "pastParticiple" and self.past_participle == self.past:
            form = "past"
        if form == "past" and self.past == self.stem:
            form = "stem"
        return INFLECTIONS[form]


def forms_from_names(values: Mapping[str, object], *, path: str = "forms") -> VerbForms:
    """Raises ContentError where one of the five is missing or is no single word."""
    return VerbForms(*(_form(values, name, path) for name in FORM_NAMES))


def _form(values: Mapping[str, object], name: str, path: str) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_FORM_LENGTH:
        raise ContentError(f"{path}.{name}", "must be a word, one of the verb's five forms.")
    if len(value.split()) > 1:
        raise ContentError(f"{path}.{name}", "must be a single word.")
    return value.strip().lower()
