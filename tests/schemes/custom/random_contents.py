"""Random items with random valid answers, in texts with what formats use for themselves."""

import random
from typing import Any

from schemes.contract.records import ExportRow
from schemes.contract.values import Image, Json
from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Definition,
    Field,
    NumberField,
    PairwiseField,
    QuestionsField,
    RatingField,
    RelationsField,
    SpansField,
    TextField,
)
from schemes.custom.items import join_texts
from tests.schemes.custom.samples import parsed, row_of

WORDS = (
    "Ada", "O'Neil's", "re-elected", "well-known", "don't", "1,5", "#", "# text = x", "|", "\\", '"a"',
    "'", ";", "_", "-", "--", "B-PER", "O", "T1", "R1\tx", "<b>", "&amp;", "{}", "[0, 1]", "null", "é",
    "e\u0301", "👩‍🔬", "🇩🇪", "東京", "ไทย", "مرحبا", "a\u200db", "\u00ad", "x\u00a0y", "…", "a_b",
    "=SUM(1)", "@x", "+1", "a.b@c.org", "https://x.org/?a=1&b=2", "@@", "\u2028", "%",
    "SpaceAfter=No", "1-2", "3.1",
)  # fmt: skip
SIZE = (640, 480)


def random_text(rng: random.Random) -> str:
    words = [
        rng.choice(WORDS) + rng.choice((" ", " ", " ", "", "  ")) for _ in range(rng.randint(1, 9))
    ]
    return " ".join(f"w{''.join(words)}".split("\n")).strip()


def random_row(definition: Definition, rng: random.Random, external_id: str) -> ExportRow:
    """Return an item whose texts and answers are random, as it is stored."""
    texts = {text.key: random_text(rng) for text in definition.texts}
    image = Image("a b.png", *SIZE) if definition.image != "none" else None
    row = row_of(definition, texts, {}, external_id, image=image)
    joined = join_texts(definition, texts)
    ranges = joined.target.get("texts") or {definition.texts[0].key: [0, len(joined.tokens)]}
    answers: Json = {}
    for field in definition.fields:
        shown = field.show_if is None or answers.get(field.show_if.field) in field.show_if.values
        if shown and (value := _value(field, answers, ranges, rng)):
            answers[field.key] = value
    content = parsed(definition, row, {"answers": answers})
    return row_of(definition, texts, content, external_id, image=image)


def _value(field: Field, answers: Json, ranges: Json, rng: random.Random) -> Any:
    match field:
        case SpansField():
            return _spans(field, ranges[field.text], rng)
        case RelationsField():
            return _relations(field, answers.get(field.spans, []), rng)
        case QuestionsField():
            texts = field.questions or [random_text(rng)[:300] for _ in range(2)]
            return [
                {"question": text, "answers": [[at, at + 1]]}
                for text in dict.fromkeys(texts)
                for at in [rng.randrange(*ranges[field.text])]
            ][: field.max]
        case BoxesField():
            corners = [(rng.randrange(300), rng.randrange(200)) for _ in range(rng.randint(0, 3))]
            return [
                {"label": rng.choice(field.labels).key, "box": [x, y, x + 9, y + 7]}
                for x, y in dict.fromkeys(corners)
            ]
    return _single(field, rng)


def _single(field: Field, rng: random.Random) -> Any:  # noqa: PLR0911 - one case per type
    match field:
        case ChoicesField():
            keys = [leaf.key for leaf in field.leaves]
            return rng.sample(keys, rng.randint(max(1, field.min), min(field.max, len(keys))))
        case ChoiceField():
            return rng.choice(field.leaves).key
        case RatingField():
            return rng.randint(field.min, field.max)
        case NumberField(integer=True):
            return rng.randint(int(field.min or 0), int(field.max or 9))
        case NumberField():
            return rng.choice([0.1, -2.5, 1e-7, 123456.789, 3])
        case PairwiseField():
            return rng.choice([*field.between, *(["tie"] if field.tie else [])])
        case TextField():
            return None if field.pattern else random_text(rng)[: field.max_length]
    raise TypeError(field)


def _spans(field: SpansField, within: list[int], rng: random.Random) -> list[Json]:
    spans: list[Json] = []
    for _ in range(rng.randint(0, 4)):
        start = rng.randrange(*within)
        end = rng.randint(start + 1, min(within[1], start + 3))
        span: Json = {"start": start, "end": end, "label": rng.choice(field.labels).key}
        is_free = field.overlap or all(
            end <= other["start"] or other["end"] <= start for other in spans
        )
        same = any(all(span[name] == other[name] for name in span) for other in spans)
        if is_free and not same:
            spans.append(span)
    for span in spans:
        if field.attributes:
            values = {
                attribute.key: _single(attribute, rng)
                for attribute in field.attributes
                if attribute.required or rng.random() < 0.5
            }
            span["attributes"] = {key: value for key, value in values.items() if value is not None}
    return sorted(spans, key=lambda span: (span["start"], span["end"], span["label"]))


def _relations(field: RelationsField, spans: list[Json], rng: random.Random) -> list[Json]:
    relations: list[Json] = []
    for first in range(len(spans)):
        for last in range(len(spans)):
            label = rng.choice(field.labels)
            fits = (not label.from_labels or spans[first]["label"] in label.from_labels) and (
                not label.to_labels or spans[last]["label"] in label.to_labels
            )
            if first != last and fits and rng.random() < 0.4:
                relations.append({"label": label.key, "from": first, "to": last})
    return relations
