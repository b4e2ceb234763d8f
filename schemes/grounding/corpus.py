"""Captions, items and gold of the grounding scheme, from files.

An item is a caption with its phrases, or all captions of an image (formats that end in `-images`), which
are adjacent in the file. Its target is
`{"phrases": [{"id", "start", "end", "plural", "cardinality", "chain", "types"}]}`, where positions are
half-open and `cardinality` is null if it is unknown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemes.contract.corpus import Corpus
from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import GoldRecord, ItemRecord, SentenceRecord
from schemes.contract.values import Json
from schemes.grounding import coco, flickr30k, grefcoco, phrases_jsonl
from schemes.grounding.captions import LOCAL_KEY, Caption, checked_phrases, join_captions
from schemes.grounding.fitting import fit_gold, move_gold, scale_gold
from schemes.grounding.noun_phrases import find_noun_phrases, number_of
from schemes.layouts import Column, Layout, LayoutKind
from schemes.table_sentences import IMAGE_LAYOUT, TABLE, read_table

PHRASES = "phrases-jsonl"
PER_IMAGE = "-images"
ENDINGS = {
    "captions-jsonl": [".jsonl"],
    "grefcoco": ["grefs.json"],
    "coco": [".json"],
    "flickr30k": [".zip"],
}
LAYOUTS = {
    "captions-jsonl": Layout(
        LayoutKind.JSON_LINES,
        columns=(
            Column("image"),
            Column("caption"),
            Column("tokens", is_required=False, instead_of="caption"),
        ),
    ),
    "grefcoco": Layout(LayoutKind.JSON_LIST, keys=("sentences",)),
    "coco": Layout(LayoutKind.JSON),
    "flickr30k": Layout(LayoutKind.ARCHIVE),
    TABLE: IMAGE_LAYOUT,
}
_GOLD = (PHRASES, "flickr30k", "coco", "grefcoco")
HEADLINE_WORDS = 8


def _read(
    paths: Sequence[Path], fmt: str, on_error: ErrorSink, *, with_gold: bool = False
) -> Iterator[Caption]:
    base = fmt.removesuffix(PER_IMAGE)
    if base == fmt:
        return _captions(paths, base, on_error, with_gold)
    return join_captions(
        lambda sink: _captions(paths, base, sink, with_gold), on_error, with_gold=with_gold
    )


def _captions(
    paths: Sequence[Path], fmt: str, on_error: ErrorSink, with_gold: bool
) -> Iterator[Caption]:
    if fmt == "grefcoco":
        yield from grefcoco.read_captions(paths, on_error, with_gold=with_gold)
        return
    for path in paths:
        match fmt:
            case "captions-jsonl" | "phrases-jsonl":
                yield from phrases_jsonl.read_captions(path, on_error)
            case "coco":
                yield from coco.read_captions(path, on_error, with_gold=with_gold)
            case "flickr30k":
                yield from flickr30k.read_captions(path, on_error, with_gold=with_gold)
            case _:
                known = ", ".join([*ENDINGS, TABLE, PHRASES])
                message = f"{fmt!r} is not a format of captions. Known formats: {known}."
                raise FileError(path.name, None, message)


def _numbered(phrase: Json, context: ItemContext) -> Json:
    """Return the phrase with its number. A number in the file takes precedence."""
    if phrase["plural"] is not None:
        return phrase
    if phrase["cardinality"] is not None:
        return {**phrase, "plural": phrase["cardinality"] > 1}
    plural, cardinality = number_of(context.tokens[phrase["start"] : phrase["end"]])
    return {**phrase, "plural": plural, "cardinality": cardinality}


class GroundingCorpus(Corpus):
    """Captions and phrases in the formats of the published corpora, and captions in tables."""

    formats = {
        **ENDINGS,
        TABLE: [".csv", ".tsv", ".xlsx"],
        **{f"{fmt}{PER_IMAGE}": [] for fmt in ENDINGS},
    }
    gold_formats = (*_GOLD, *(f"{fmt}{PER_IMAGE}" for fmt in _GOLD))
    layouts = LAYOUTS
    gold_layouts = {
        PHRASES: LAYOUTS["captions-jsonl"],
        **{fmt: LAYOUTS[fmt] for fmt in ("flickr30k", "coco", "grefcoco")},
    }
    needs_images = True
    move_gold = staticmethod(move_gold)
    scale_gold = staticmethod(scale_gold)
    fit_gold = staticmethod(fit_gold)

    def read_sentences(self, path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
        """Yield the captions of a file or folder. Raise FileError."""
        if fmt == TABLE:
            yield from read_table(path, on_error=on_error, layout=IMAGE_LAYOUT)
            return
        for caption in _read([path], fmt, on_error):
            yield caption.sentence()

    def read_items(self, paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
        """Yield the phrases of captions in JSON Lines."""
        for caption in _read(paths, "captions-jsonl", on_error):
            yield caption.item()

    def read_gold(
        self, paths: Sequence[Path], fmt: str, on_error: ErrorSink, **options: Any
    ) -> Iterator[GoldRecord]:
        """Yield the gold of captions. Raise FileError."""
        for caption in _read(paths, fmt, on_error, with_gold=True):
            if not caption.has_bad_gold:
                yield caption.gold()

    def find_items(self, external_id: str, context: ItemContext) -> list[ItemRecord]:
        """Return the caption with its known phrases, or with the noun phrases of the tagger."""
        phrases = context.metadata.get("phrases")
        if phrases is None:
            spans = find_noun_phrases(context.tokens)
            phrases = [{"start": start, "end": end} for start, end in spans]
        if not phrases:
            return []
        return [ItemRecord(external_id, LOCAL_KEY, {"phrases": phrases})]

    def complete_item(self, item: ItemRecord, context: ItemContext) -> ItemRecord:
        """Check the phrases, and add ids and numbers that are missing. Raise ContentError."""
        phrases = checked_phrases(item.target.get("phrases"), context)
        return replace(item, target={"phrases": [_numbered(phrase, context) for phrase in phrases]})

    def headline(self, context: ItemContext) -> str:
        """Return the caption's first words."""
        return context.span_text(0, HEADLINE_WORDS) + (
            " …" if len(context.tokens) > HEADLINE_WORDS else ""
        )


CORPUS = GroundingCorpus()
