"""Parsing and counting of annotations.

Schema version 1. Content is `{"answers": {field: value}}`, or `{"skipped": reason, "answers": {}}`.
Hidden and unanswered fields are absent. The values by type of field:

- choice: the key of an option. choices: keys in the order of the definition.
- rating and number: a number. text: a text. pairwise: the key of a text, or "tie".
- spans: `[{"start", "end", "label", "attributes"}]`, half-open positions in the item's tokens, sorted.
  Only fields that declare attributes have them.
- relations: `[{"label", "from", "to"}]`, positions in the field's list of spans, sorted.
- questions: `[{"question", "answers": [[start, end], ...]}]`, fixed ones in the definition's order.
- boxes: `[{"label", "box": [x1, y1, x2, y2]}]`, half-open pixels, sorted.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from schemes.content_models import clean_text
from schemes.contract.content import CheckedWork, Content, ReviewReason, Total
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.values import Json, Noun
from schemes.custom.content_schemas import content_schemas
from schemes.custom.form import ANSWERS, SKIPPED, VERDICTS, Form
from schemes.custom.kinds.base import Kind, Parsing, checked_object, shown_key
from schemes.review_reasons import more_than_others

SCHEMA_VERSION = 1
MAX_REASON = 500
EMPTY: Json = {ANSWERS: {}}


def parse_answers(form: Form, content: object, context: ItemContext, *, is_complete: bool) -> Json:
    """Return content as normalised JSON. Raise ContentError.

    Without `is_complete`, required answers may be missing.
    """
    if not isinstance(content, Mapping):
        raise ContentError("", "must be an object.")
    known = (ANSWERS, SKIPPED) if form.definition.skip else (ANSWERS,)
    for name in content:
        if name not in known:
            raise ContentError(shown_key(name), "is not a known field.")
    if ANSWERS not in content:
        raise ContentError(ANSWERS, "is missing.")
    given = checked_object(content[ANSWERS], ANSWERS, list(form.by_key))
    if content.get(SKIPPED):
        if given:
            raise ContentError(SKIPPED, "must be empty if there are answers.")
        return {SKIPPED: _reason(content[SKIPPED]), ANSWERS: {}}
    parsing = Parsing(form.definition, context, is_complete)
    for kind in form.in_order:
        _parse_field(form, kind, given, parsing)
    return {ANSWERS: form.sorted(parsing.answers)}


def _parse_field(form: Form, kind: Kind[Any], given: Mapping[str, Any], parsing: Parsing) -> None:
    path = f"{ANSWERS}.{kind.key}"
    value = given.get(kind.key)
    is_shown = form.is_shown(kind.field, parsing.answers, parsing.context)
    if value is None and (kind.field.has_parts or kind.field.type == "choices"):
        value = []
    if value is not None and is_shown:
        value = kind.parse(value, path, parsing)
        if value is not None:
            parsing.answers[kind.key] = value
    elif value is not None and value != []:
        raise ContentError(path, "must be left out, because this field is not shown.")
    if value is None and is_shown and kind.field.required and parsing.is_complete:
        raise ContentError(path, "is missing.")


def _reason(value: object) -> str:
    if not isinstance(value, str):
        raise ContentError(SKIPPED, "must be a text.")
    if len(value) > MAX_REASON:
        raise ContentError(
            SKIPPED,
            "is too long; at most %(max_length)s characters are taken.",
            max_length=MAX_REASON,
        )
    reason = clean_text(value, SKIPPED)
    if not reason:
        raise ContentError(SKIPPED, "needs a reason.")
    return reason


class CustomContent(Content):
    """Answers to the fields of a definition."""

    schema_version = SCHEMA_VERSION
    empty = EMPTY

    def __init__(self, form: Form) -> None:
        self._form = form
        self.skip_field = SKIPPED if form.definition.skip else ""
        self.totals = _totals(form)
        self.json_schemas = content_schemas(form)

    def parse_generation(self, content: object, context: ItemContext) -> Json:
        return parse_answers(self._form, content, context, is_complete=True)

    def parse_gold(self, content: object, context: ItemContext) -> Json:
        """Parse gold, which may lack required answers that validators refused."""
        return parse_answers(self._form, content, context, is_complete=False)

    def parse_system(self, content: object, context: ItemContext) -> Json:
        return parse_answers(self._form, content, context, is_complete=False)

    def count_units(self, content: Json, role: str) -> int:
        """Return the number of paid parts, or of verdicts for validators."""
        if role == "validator" or VERDICTS in content:
            return len(content.get(VERDICTS, ()))
        return count_paid(self._form, content)

    def count(self, content: Json) -> Mapping[str, int]:
        counts = dict.fromkeys((total.key for total in self.totals), 0)
        for kind, number in self._form.counted(content):
            counts[ANSWERS] += int(number > 0)
            if kind.field.has_parts:
                counts[f"{kind.key}_parts"] += number
        if SKIPPED in counts:
            counts[SKIPPED] = int(bool(content.get(SKIPPED)))
        return counts

    def review_reasons(self, work: CheckedWork) -> list[ReviewReason]:
        """Ask for a review of far more parts than other annotators have."""
        if work.role == "validator" or self._form.paid is None:
            return []
        count = count_paid(self._form, work.content)
        others = (count_paid(self._form, other) for other in work.others)
        return list(more_than_others(count, others, self._form.unit))

    def is_blank(self, content: Json) -> bool:
        """Return True without answers, unless a complete annotation may have none."""
        if content.get(ANSWERS) or content.get(SKIPPED):
            return False
        return any(kind.field.required and not kind.field.show_if for kind in self._form.kinds)


def count_paid(form: Form, content: Json) -> int:
    """Return the number of parts that are paid."""
    counts = {kind.key: number for kind, number in form.counted(content)}
    if form.paid:
        return counts[form.paid.key]
    return sum(number > 0 for number in counts.values())


def _totals(form: Form) -> Sequence[Total]:
    totals = [Total(ANSWERS, Noun("answered field", "answered fields"))]
    for kind in form.kinds:
        if kind.field.has_parts:
            of = f"of “{kind.field.label}”"
            noun = Noun(f"{kind.noun.singular} {of}", f"{kind.noun.plural} {of}")
            totals.append(Total(f"{kind.key}_parts", noun))
    if form.definition.skip:
        totals.append(Total(SKIPPED, Noun("skipped item", "skipped items")))
    return totals
