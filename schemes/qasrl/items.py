"""Items of QA-SRL: the verbs of a sentence, and nouns derived from verbs.

The target is `{"verb_idx", "verb", "forms": {"stem", "presentSingular3rd", "presentParticiple",
"past", "pastParticiple"}, "other_forms"}`. `other_forms` are the verb's further spellings
("travelling"), and absent if there are none. The local key is verb_idx as text.

The target of a noun also has `{"kind": "noun", "verb_form"}`. Its `verb` is the noun, `verb_form`
the stem of the verb in its questions, and `forms` are those of that verb. Optional `tokens` are the
ascending positions of a predicate of several words.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from schemes.contract.corpus import ItemSearch, item_of_row
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.records import ItemRecord
from schemes.contract.values import Json, Tokens
from schemes.english.forms import VerbForms, forms_from_names
from schemes.english.nominalizations import find_nominalizations, verb_of_noun
from schemes.english.predicates import find_predicates
from schemes.english.tagged_verbs import tagged_verbs
from schemes.english.verbs import candidate_forms, verb_forms, verb_forms_at
from schemes.original_text import excerpt
from schemes.qasrl.targets import NOUN, is_noun

_AROUND = 3
# Ids of the QA-SRL Bank consist of corpus, domain, document, paragraph and sentence.
# The document, the paragraph, if the id names one, and the sentence
_IDS = (
    re.compile(r"(Wiki1k:[^:]+:\d+)(?::(\d{1,9}))?:(\d{1,9})"),
    re.compile(r"(.+):(\d{1,9}):(\d{1,9})"),
)
_PARAGRAPH = 10**9


def find_verbs(external_id: str, context: ItemContext) -> list[ItemRecord]:
    """Return the items that the corpus gives in `metadata["items"]`, or the sentence's verbs."""
    targets = context.metadata.get("items")
    if targets is None:
        targets = [{"verb_idx": at} for at in find_predicates(context.tokens)]
    return [ItemRecord(external_id, str(target["verb_idx"]), dict(target)) for target in targets]


def find_nouns(external_id: str, context: ItemContext) -> list[ItemRecord]:
    """Return the nouns that may be derived from verbs. Annotators say whether they describe events."""
    return [
        ItemRecord(external_id, str(at), {"kind": NOUN, "verb_idx": at, "verb_form": stem})
        for at, stem in find_nominalizations(context.tokens)
    ]


def find_verbs_and_nouns(external_id: str, context: ItemContext) -> list[ItemRecord]:
    """Return the verbs and nouns of a sentence. A word that could be both is a verb."""
    verbs = find_verbs(external_id, context)
    taken = {item.local_key for item in verbs}
    nouns = find_nouns(external_id, context)
    return verbs + [item for item in nouns if item.local_key not in taken]


# By the name of the command's option. The first one is the default.
SEARCHES = {
    "verbs": ItemSearch("verbs", find_verbs),
    "nouns": ItemSearch("nouns derived from verbs", find_nouns),
    "verbs-and-nouns": ItemSearch("verbs and nouns derived from verbs", find_verbs_and_nouns),
}


def items_of_words(words: Sequence[Json]) -> Json:
    """Return the metadata of a sentence in CoNLL-U: its verbs by their tags, without auxiliaries.

    A sentence without known tags has none, so that the tagger finds its verbs.
    """
    verbs = tagged_verbs(words)
    return {} if verbs is None else {"items": [{"verb_idx": at} for at in verbs]}


def complete_item(item: ItemRecord, context: ItemContext) -> ItemRecord:
    """Add the verb and, if missing, its five forms. Nouns also get their `verb_form`.

    Raise ContentError (path `verb_idx`, `kind`, `verb_form`, `tokens`, `forms.<name>`).
    """
    tokens, verb_idx = context.tokens, item.target.get("verb_idx")
    if type(verb_idx) is not int or not 0 <= verb_idx < len(tokens):
        message = f"{verb_idx} is on no token; the sentence has {len(tokens)}."
        raise ContentError("verb_idx", message)
    if item.target.get("kind", "verb") not in ("verb", NOUN):
        raise ContentError("kind", "must be verb or noun.")
    forms = _forms(item.target, tokens, verb_idx)
    target = {"verb_idx": verb_idx, "verb": tokens[verb_idx].lower(), "forms": forms.by_name()}
    if is_noun(item.target):
        target |= {"kind": NOUN, "verb_form": forms.stem}
    # A noun's own spelling is not a form of its verb.
    word = forms.stem if is_noun(item.target) else target["verb"]
    spellings = [other for other in candidate_forms(word) if other != forms]
    if spellings:
        target["other_forms"] = [spelling.by_name() for spelling in spellings]
    if "tokens" in item.target:
        target["tokens"] = _positions(item.target["tokens"], verb_idx, len(tokens))
    for spelling in (forms, *spellings):
        _check_shown(spelling, target["verb"])
    return ItemRecord(item.external_id, str(verb_idx), target, item.line)


@lru_cache(maxsize=1 << 14)
def _check_shown(forms: VerbForms, word: str) -> None:
    """Raise ContentError if pages can't form questions with a verb. `word` is its token."""
    names = forms.by_name()
    if any(len(form.split()) > 1 for form in names.values()):
        verb = " ".join((word if len(word.split()) > 1 else forms.stem).split())
        message = f"“{verb}” has a blank. Questions need a verb of one word."
        raise ContentError("verb", message)
    forms_from_names(names)
    if not any(map(str.isalpha, forms.stem)):
        raise ContentError("verb", f"“{forms.stem}” is not a word.")


def _forms(target: Json, tokens: Tokens, at: int) -> VerbForms:
    names = target.get("forms")
    if names is not None:
        return forms_from_names(names)
    if not is_noun(target):
        return verb_forms_at(tokens, at)
    stem = target.get("verb_form") or verb_of_noun(tokens[at])
    if not isinstance(stem, str) or not stem.strip():
        raise ContentError("verb_form", f"is missing, and no verb is known for “{tokens[at]}”.")
    return verb_forms(stem.strip())


def _positions(positions: object, at: int, length: int) -> list[int]:
    """Return the positions of a predicate, which must include `at`."""
    if not isinstance(positions, list) or any(type(position) is not int for position in positions):
        raise ContentError("tokens", "must be a list of positions.")
    if at not in positions or not all(0 <= position < length for position in positions):
        raise ContentError("tokens", f"must be positions in the sentence and include {at}.")
    return sorted(set(positions))


def headline(context: ItemContext) -> str:
    """Return the verb in brackets with the words around it."""
    return excerpt(context.shown_tokens(), marked=[context.target["verb_idx"]], around=_AROUND)


def marked(target: Json) -> list[int]:
    at = target.get("verb_idx")
    if target.get("tokens"):
        return list(target["tokens"])
    return [at] if isinstance(at, int) and at >= 0 else []


def order(target: Json) -> int:
    at = target.get("verb_idx")
    return at if isinstance(at, int) and at >= 0 else 0


def group(external_id: str) -> str:
    """Return the document in a sentence id such as wikinews:1234:0:3, or "" in other ids."""
    match = _match(external_id)
    return match[1] if match else ""


def position(external_id: str) -> int:
    """Return a number that orders the sentences of a document, or 0 for other ids."""
    match = _match(external_id)
    return int(match[2] or 0) * _PARAGRAPH + int(match[3]) if match else 0


def _match(external_id: str) -> re.Match[str] | None:
    return next((found for pattern in _IDS if (found := pattern.fullmatch(external_id))), None)


def item_type(context: ItemContext) -> str:
    """Return the form in which the verb occurs, or "noun"."""
    if is_noun(context.target):
        return NOUN
    forms = forms_from_names(context.target["forms"], path="target.forms")
    return {
        forms.stem: "base form",
        forms.present_singular_3rd: "third person singular",
        forms.present_participle: "present participle",
    }.get(context.target["verb"], "past form")


def item_key_of_row(row: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the item of a row with the published columns `qasrl_id` and `verb_idx`, or `item`.

    Files of nouns have `target_idx` in place of `verb_idx`.
    """
    external_id = row.get("qasrl_id", "")
    local_key = row.get("verb_idx") or row.get("target_idx", "")
    return (external_id, local_key) if external_id and local_key else item_of_row(row)
