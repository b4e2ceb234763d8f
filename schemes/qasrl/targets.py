"""The kinds of predicates: verbs, and nouns derived from verbs."""

from schemes.contract.values import Json
from schemes.english.forms import VerbForms, forms_from_names

NOUN = "noun"


def is_noun(target: Json) -> bool:
    return target.get("kind") == NOUN


def is_verb(target: Json) -> bool:
    return not is_noun(target)


def question_spellings(target: Json) -> tuple[VerbForms, ...]:
    """Return all forms that questions may use, beginning with the target's own.

    They are stored with the item, because finding them needs 60 MiB of dictionaries.
    """
    named = [target["forms"], *target.get("other_forms", ())]
    return tuple(forms_from_names(names, path="target.forms") for names in named)
