"""The grounding scheme, assembled from the modules of this package."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from schemes.base import (
    Content,
    Corpus,
    ErrorSink,
    FileError,
    GoldRecord,
    ItemContext,
    ItemRecord,
    Json,
    Noun,
    Pages,
    Scheme,
    SentenceRecord,
    ShownUnit,
    TaskTexts,
    Total,
    Views,
    Vocabulary,
)
from schemes.grounding import content as grounded
from schemes.grounding import page_data
from schemes.grounding.comparison import COMPARISON
from schemes.grounding.merging import MERGING
from schemes.grounding.pay import PAY_PRESETS
from schemes.grounding.validating import VALIDATING


def _sentences(path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
    raise FileError(path.name, None, f"has an unknown format {fmt!r}.")


def _items(paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
    raise FileError(paths[0].name, None, "has an unknown format.")


def _gold(paths: Sequence[Path], fmt: str, on_error: ErrorSink) -> Iterator[GoldRecord]:
    raise FileError(paths[0].name, None, f"has an unknown format {fmt!r}.")


def _shown(content: object, context: ItemContext) -> list[ShownUnit] | None:
    if not isinstance(content, dict) or not isinstance(content.get("phrases"), list):
        return None
    texts = {
        phrase["id"]: grounded.phrase_text(phrase, context)
        for phrase in context.target.get("phrases", ())
    }
    return [
        ShownUnit(label=texts.get(phrase.get("id"), ""), values=[str(phrase.get("state", ""))])
        for phrase in content["phrases"]
        if isinstance(phrase, dict)
    ]


def _marked(target: Json) -> list[int]:
    return [at for phrase in target["phrases"] for at in range(phrase["start"], phrase["end"])]


SCHEME = Scheme(
    name="grounding",
    title="Phrase grounding",
    vocabulary=Vocabulary(
        item=Noun("caption", "captions"),
        unit=Noun("box", "boxes"),
        tasks={
            "generator": TaskTexts(
                "Draw boxes for the phrases of a caption",
                "Look at one picture, and draw a box around everything that its caption mentions.",
            ),
            "consolidator": TaskTexts(
                "Merge the boxes of two people",
                "Compare the boxes that two people drew for one caption, and merge them.",
            ),
            "validator": TaskTexts(
                "Check the boxes of a caption",
                "Look at one picture, and check the boxes that someone drew for its caption.",
            ),
            "reviser": TaskTexts(
                "Revise your boxes of a caption",
                "Others disputed a part of your boxes. Look at them again, and revise or keep them.",
            ),
        },
        keywords="annotation, pictures, boxes, language",
        pay_presets=PAY_PRESETS,
    ),
    corpus=Corpus(
        formats={},
        gold_formats=(),
        read_sentences=_sentences,
        read_items=_items,
        read_gold=_gold,
        find_items=lambda external_id, context: [],
        complete_item=lambda item, context: item,
        headline=lambda context: " ".join(context.tokens[:8]),
    ),
    content=Content(
        schema_version=grounded.SCHEMA_VERSION,
        empty=grounded.EMPTY,
        parse_generation=grounded.parse_generation,
        parse_gold=grounded.parse_gold,
        parse_system=grounded.parse_gold,
        count_units=grounded.count_units,
        totals=(Total("phrases", Noun("phrase", "phrases")), Total("boxes", Noun("box", "boxes"))),
        count=grounded.count_parts,
    ),
    comparison=COMPARISON,
    views=Views(units=_shown, marked=_marked),
    pages=Pages(shared=page_data.shared, item=page_data.item),
    merging=MERGING,
    validating=VALIDATING,
)
