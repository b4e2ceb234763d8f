"""Items of QA-SRL: the verbs of a sentence.

The target is `{"verb_idx", "verb", "forms": {"stem", "presentSingular3rd", "presentParticiple",
"past", "pastParticiple"}}`. The local key is verb_idx as text.
"""

import re
from collections.abc import Mapping, Sequence

from schemes.base import ContentError, ItemContext, ItemRecord, Json, item_of_row
from schemes.english.forms import forms_from_names
from schemes.english.predicates import find_predicates
from schemes.english.verbs import verb_forms
from schemes.qasrl.grammar import item_table
from schemes.qasrl.ranking import ranking_table

_AROUND = 3
# Ids of the QA-SRL Bank consist of corpus, domain, document, paragraph and sentence.
_DOCUMENT = re.compile(r"(.+):\d+:\d+")


def find_items(external_id: str, context: ItemContext) -> list[ItemRecord]:
    """Return the items that the corpus gives in `metadata["items"]`, or the sentence's verbs."""
    targets = context.metadata.get("items")
    if targets is None:
        targets = [{"verb_idx": at} for at in find_predicates(context.tokens)]
    return [ItemRecord(external_id, str(target["verb_idx"]), dict(target)) for target in targets]


def items_of_words(words: Sequence[Json]) -> Json:
    """Return the metadata of a sentence in CoNLL-U: an item per VERB, which excludes auxiliaries."""
    return {
        "items": [{"verb_idx": at} for at, word in enumerate(words) if word.get("upos") == "VERB"]
    }


def complete_item(item: ItemRecord, context: ItemContext) -> ItemRecord:
    """Add the verb and, if missing, its five forms.

    Raise ContentError (path `verb_idx`, `forms.<name>`).
    """
    tokens, verb_idx = context.tokens, item.target.get("verb_idx")
    if type(verb_idx) is not int or not 0 <= verb_idx < len(tokens):
        message = f"{verb_idx} is on no token; the sentence has {len(tokens)}."
        raise ContentError("verb_idx", message)
    names = item.target.get("forms")
    forms = forms_from_names(names) if names is not None else verb_forms(tokens[verb_idx])
    target = {"verb_idx": verb_idx, "verb": tokens[verb_idx].lower(), "forms": forms.by_name()}
    return ItemRecord(item.external_id, str(verb_idx), target, item.line)


def headline(context: ItemContext) -> str:
    """Return the verb in brackets with the words around it."""
    tokens, at = context.tokens, context.target["verb_idx"]
    start, end = max(0, at - _AROUND), at + _AROUND + 1
    before = "… " if start else ""
    after = " …" if end < len(tokens) else ""
    words = [*tokens[start:at], f"[{tokens[at]}]", *tokens[at + 1 : end]]
    return f"{before}{' '.join(words)}{after}"


def marked(target: Json) -> list[int]:
    at = target.get("verb_idx")
    return [at] if isinstance(at, int) and at >= 0 else []


def order(target: Json) -> int:
    return next(iter(marked(target)), 0)


def group(external_id: str) -> str:
    """Return the document in a sentence id such as wikinews:1234:0:3, or "" in other ids."""
    match = _DOCUMENT.fullmatch(external_id)
    return match[1] if match else ""


def item_key_of_row(row: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the item of a row with the published columns `qasrl_id` and `verb_idx`, or `item`."""
    external_id, local_key = row.get("qasrl_id", ""), row.get("verb_idx", "")
    return (external_id, local_key) if external_id and local_key else item_of_row(row)


def page_data(context: ItemContext) -> Json:
    """Return `item`, the item's part of the grammar, and `ranking` for suggestions."""
    tokens, target = context.tokens, context.target
    forms = forms_from_names(target["forms"], path="target.forms")
    return {
        "item": item_table(forms, tokens),
        "ranking": ranking_table(tokens, target["verb_idx"], forms),
    }
