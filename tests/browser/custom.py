"""Projects and items of custom schemes, for tests of their pages."""

from collections.abc import Mapping
from itertools import count

from annotation.domain.corpus.images import store_image
from annotation.models import Item, Sentence
from projects.domain.create_project import create_project
from projects.models import Project
from schemes.contract.values import Json
from schemes.custom.definition import Definition
from schemes.custom.items import join_texts
from schemes.custom.parse_definition import parse_definition
from tests.annotation.factories import NOW
from tests.browser.grounding import draw_picture

_numbers = count(1)

NAMES: Json = {
    "title": "Names and relations",
    "item": {"one": "sentence", "many": "sentences"},
    "instructions": "Mark every name.",
    "skip": True,
    "fields": [
        {
            "key": "names",
            "type": "spans",
            "label": "Names",
            "labels": [
                {"key": "PER", "label": "Person", "key_hint": "p"},
                {"key": "ORG", "label": "Organisation", "key_hint": "o"},
            ],
            "attributes": [
                {
                    "key": "sure",
                    "type": "choice",
                    "label": "Sure?",
                    "options": ["certain", "unsure"],
                }
            ],
            "min": 1,
        },
        {
            "key": "jobs",
            "type": "relations",
            "label": "Jobs",
            "labels": [
                {"key": "works_for", "label": "works for", "from": ["PER"], "to": ["ORG"]},
                {"key": "founded", "label": "founded", "from": ["PER"], "to": ["ORG"]},
                {"key": "knows", "label": "knows", "from": ["PER"], "to": ["PER"]},
            ],
        },
    ],
}
SENTENCE = "Ada Lovelace wrote to Babbage about Acme ."

REVIEW: Json = {
    "title": "Reviews",
    "fields": [
        {
            "key": "tone",
            "type": "choice",
            "label": "Tone",
            "options": [
                "positive",
                {
                    "key": "bad",
                    "label": "Negative",
                    "options": [
                        {"key": "angry", "label": "Angry"},
                        {"key": "sad", "label": "Sad"},
                    ],
                },
            ],
        },
        {
            "key": "why",
            "type": "text",
            "label": "Reason",
            "pattern": "[a-z ]+",
            "max_length": 20,
            "show_if": {"field": "tone", "is": ["angry", "sad"]},
        },
        {
            "key": "topics",
            "type": "choices",
            "label": "Topics",
            "options": ["food", "service", "price"],
            "max": 2,
        },
        {
            "key": "fluency",
            "type": "rating",
            "label": "Fluency",
            "min": 1,
            "max": 5,
            "ends": ["Bad", "Good"],
        },
        {
            "key": "stars",
            "type": "number",
            "label": "Stars",
            "min": 0,
            "max": 10,
            "integer": True,
            "required": False,
        },
    ],
}

QUESTIONS: Json = {
    "title": "Questions",
    "fields": [
        {
            "key": "qa",
            "type": "questions",
            "label": "Questions",
            "min": 1,
            "max": 4,
            "answers": {"min": 1, "max": 2, "allow_none": True},
        },
        {
            "key": "fixed",
            "type": "questions",
            "label": "Facts",
            "question": ["Who?", "When?"],
            "answers": {"min": 1, "max": 1, "allow_none": True},
        },
    ],
}

BOXES: Json = {
    "title": "Boxes",
    "image": "required",
    "fields": [
        {
            "key": "things",
            "type": "boxes",
            "label": "Things",
            "labels": [
                {"key": "woman", "label": "Woman", "key_hint": "w"},
                {"key": "car", "label": "Car", "key_hint": "c"},
            ],
            "min": 1,
        }
    ],
}

PAIR: Json = {
    "title": "Better answer",
    "texts": [
        {"key": "prompt", "label": "Prompt"},
        {"key": "a", "label": "Answer A"},
        {"key": "b", "label": "Answer B"},
    ],
    "fields": [
        {
            "key": "better",
            "type": "pairwise",
            "label": "Which is better?",
            "between": ["a", "b"],
            "tie": True,
        },
        {"key": "errors", "type": "spans", "label": "Errors", "text": "b", "labels": ["error"]},
    ],
}
PAIR_TEXTS = {"prompt": "Why is the sky blue?", "a": "Light scatters.", "b": "It is painted blue."}

# Fields of all types that are written, beside marked ones.
WIDE: Json = {
    **NAMES,
    "title": "Many fields",
    "fields": [
        *NAMES["fields"],
        *REVIEW["fields"],
        QUESTIONS["fields"][0],
        {"key": "reason", "type": "text", "label": "Why?", "pattern": "[A-Za-z ?]+"},
    ],
}

ARABIC: Json = {
    "title": "Arabic names",
    "language": "ar",
    "fields": [
        {
            "key": "names",
            "type": "spans",
            "label": "Names",
            "labels": [{"key": "PER", "label": "شخص"}, {"key": "LOC", "label": "مكان"}],
        }
    ],
}
ARABIC_SENTENCE = "زارت عائشة القاهرة مع صديقتها ليلى."


def make_custom_project(value: Json, *, slug: str = "custom") -> Project:
    definition = parse_definition(value)
    return create_project(
        slug=slug,
        scheme="custom",
        definition=definition.value,
        language=definition.language or "en",
        now=NOW,
    )


def make_texts(
    project: Project,
    value: Json,
    texts: str | Mapping[str, str] = SENTENCE,
    *,
    has_picture: bool = False,
) -> Item:
    """Create an item of texts by key, or of the only text."""
    definition: Definition = parse_definition(value)
    by_key = {definition.texts[0].key: texts} if isinstance(texts, str) else texts
    joined = join_texts(definition, by_key)
    number = next(_numbers)
    sentence = Sentence.objects.create(
        project=project,
        external_id=f"t{number}",
        tokens=list(joined.tokens),
        text=joined.text,
        offsets=[list(offset) for offset in joined.offsets],
        image=store_image(project=project, name="1.png", data=draw_picture())
        if has_picture
        else None,
        metadata={"image": "1.png"} if has_picture else {},
    )
    return Item.objects.create(
        project=project,
        sentence=sentence,
        key=f"t{number}/0",
        target=joined.target,
        position=number,
    )
