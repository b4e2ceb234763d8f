"""Captions and gold in JSON Lines, one caption per line.

{"id": "meadow-01.png#0", "image": "meadow-01.png", "tokens": ["Two", "dogs", ...],
 "phrases": [{"start": 0, "end": 2, "plural": true, "cardinality": 2, "state": "boxes",
              "boxes": [[10, 20, 60, 80], ...]}]}

Only gold has `state` and `boxes`. The n-th phrase has the id "p<n>".
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from schemes.base import (
    ContentError,
    ErrorSink,
    FileError,
    GoldRecord,
    ItemContext,
    ItemRecord,
    Json,
    SentenceRecord,
)
from schemes.text_lines import numbered_lines

LOCAL_KEY = "phrases"


def _lines(path: Path) -> Iterator[tuple[int, Json]]:
    for line, text in numbered_lines(path):
        try:
            yield line, json.loads(text)
        except ValueError as error:
            raise FileError(path.name, line, f"is not JSON ({error}).") from None


def read_sentences(path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
    for line, entry in _lines(path):
        items = {LOCAL_KEY: _target(entry)}
        yield SentenceRecord(
            entry["id"], tuple(entry["tokens"]), line, {"items": items}, entry["image"]
        )


def read_items(paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
    for path in paths:
        for line, entry in _lines(path):
            yield ItemRecord(entry["id"], LOCAL_KEY, _target(entry), line, path.name)


def read_gold(paths: Sequence[Path], fmt: str, on_error: ErrorSink) -> Iterator[GoldRecord]:
    for path in paths:
        for line, entry in _lines(path):
            phrases = [
                {"id": f"p{at}", "state": phrase["state"], "boxes": phrase["boxes"]}
                for at, phrase in enumerate(entry["phrases"])
            ]
            item = ItemRecord(entry["id"], LOCAL_KEY, _target(entry), line, path.name)
            yield GoldRecord(item, {"phrases": phrases}, [{}] * len(phrases), line)


def _target(entry: Json) -> Json:
    return {
        "phrases": [
            {
                "id": f"p{at}",
                "start": phrase["start"],
                "end": phrase["end"],
                "plural": phrase["plural"],
                "cardinality": phrase["cardinality"],
                "chain": "",
                "types": [],
            }
            for at, phrase in enumerate(entry["phrases"])
        ]
    }


def find_items(external_id: str, context: ItemContext) -> list[ItemRecord]:
    """Return the caption's item, with the whole caption as a phrase if it has no phrases."""
    target = context.metadata.get("items", {}).get(LOCAL_KEY)
    if target is None:
        phrase = {"start": 0, "end": len(context.tokens), "plural": False, "cardinality": None}
        target = _target({"phrases": [phrase]})
    return [ItemRecord(external_id, LOCAL_KEY, target)]


def complete_item(item: ItemRecord, context: ItemContext) -> ItemRecord:
    if any(phrase["end"] > len(context.tokens) for phrase in item.target["phrases"]):
        raise ContentError("phrases", "are not all in the caption.")
    return item
