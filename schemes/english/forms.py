"""The five forms of a verb, named as in the published files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from schemes.contract.errors import ContentError

FORM_NAMES = ("stem", "presentSingular3rd", "presentParticiple", "past", "pastParticiple")
# The spelling of the published column `verb_slot_inflection`.
INFLECTIONS = {name: name[0].upper() + name[1:] for name in FORM_NAMES}
MAX_FORM_LENGTH = 60


@dataclass(frozen=True, slots=True)
class VerbForms:
    """A verb's five forms: lower case, not empty, without blanks."""

    stem: str
    present_singular_3rd: str
    present_participle: str
    past: str
    past_participle: str

    def by_name(self) -> dict[str, str]:
        """Return the forms keyed as in the QA-SRL Bank's `verbInflectedForms`."""
        forms = (getattr(self, name) for name in self.__slots__)
        return dict(zip(FORM_NAMES, forms, strict=True))

    def inflection_of(self, form: str) -> str:
        """Return the published name of one of FORM_NAMES.

        A participle spelled like the past is Past, and a past spelled like the stem is Stem. So
        "carried" is always Past and "cut" always Stem, but "run" in "was run" is PastParticiple.
        """
        if form == "pastParticiple" and self.past_participle == self.past:
            form = "past"
        if form == "past" and self.past == self.stem:
            form = "stem"
        return INFLECTIONS[form]


def form_rows(spellings: Iterable[VerbForms]) -> list[list[str]]:
    """Return a row of forms for each distinct spelling, in the order of FORM_NAMES."""
    return [list(forms.by_name().values()) for forms in dict.fromkeys(spellings)]


def forms_from_names(values: Mapping[str, object], *, path: str = "forms") -> VerbForms:
    """Return the forms. Raises ContentError if any is missing or not a single word."""
    texts = tuple([values.get(name) for name in FORM_NAMES])
    if all(isinstance(text, str) for text in texts):
        return _forms_of_texts(texts, path)
    return VerbForms(*(_form(values, name, path) for name in FORM_NAMES))


@lru_cache(maxsize=1 << 14)
def _forms_of_texts(texts: tuple[str, ...], path: str) -> VerbForms:
    """Return the forms for the values of FORM_NAMES, cached because verbs recur."""
    values = dict(zip(FORM_NAMES, texts, strict=True))
    return VerbForms(*(_form(values, name, path) for name in FORM_NAMES))


def _form(values: Mapping[str, object], name: str, path: str) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_FORM_LENGTH:
        message = f"must be a word of at most {MAX_FORM_LENGTH} characters, a form of the verb."
        raise ContentError(f"{path}.{name}", message)
    if len(value.split()) > 1:
        raise ContentError(f"{path}.{name}", "must be a single word.")
    return value.strip().lower()
