"""Gold rows as JSON, and what the formats of a scheme get of them."""

import hashlib
from dataclasses import asdict, replace
from typing import Any

import orjson

from schemes.contract.files import Exports
from schemes.contract.items import ItemContext
from schemes.contract.records import Certainty, ExportRow, Judged
from schemes.contract.values import Image, Json

# The fields of a row that say what was annotated, and how.
_OF_DIGEST = ("external_id", "tokens", "text", "target", "content")
_JUDGED_BY = ("generations", "validations")


def row_json(row: ExportRow, *, image_digest: str = "") -> Json:
    """Return a row as JSON. `image_digest` identifies the stored image of its sentence."""
    stored = asdict(row)
    if row.image:
        stored["image"] = {
            "name": row.image.name,
            "width": row.image.width,
            "height": row.image.height,
            "digest": image_digest,
        }
    return sorted_json(stored)


def sorted_json(value: Json) -> Json:
    """Return a copy whose keys are sorted, and whose tuples are lists."""
    loaded: Json = orjson.loads(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))
    return loaded


def row_of_json(stored: Json) -> ExportRow:
    """Return the row that `row_json` stored, without the position of its sentence, if there is one."""
    fields: dict[str, Any] = {**stored, "tokens": tuple(stored["tokens"])}
    fields.pop("position", None)
    fields["offsets"] = tuple(tuple(offset) for offset in stored["offsets"])
    if image := stored["image"]:
        fields["image"] = Image(image["name"], image["width"], image["height"])
    if judged := stored["judged"]:
        by = {name: [(who, content) for who, content in judged[name]] for name in _JUDGED_BY}
        fields["judged"] = Judged(**{**judged, **by})
    if certainty := stored["certainty"]:
        fields["certainty"] = Certainty(**certainty)
    return ExportRow(**fields)


def digest_of_row(stored: Json) -> str:
    """Return the SHA-256 of the sentence, target and content, in hexadecimal digits."""
    facts = {name: stored[name] for name in _OF_DIGEST}
    return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def narrowed(row: ExportRow, exports: Exports | None, fmt: str) -> ExportRow:
    """Return the row with only what a format asks for (see `schemes.contract.files.Exports`)."""
    changes: dict[str, Any] = {}
    if exports is None or fmt not in exports.with_judgments:
        changes["judged"] = None
    if exports is None or fmt not in exports.with_metadata:
        changes |= {"metadata": {}, "image": None}
    if row.origin and (exports is None or fmt not in exports.with_source_workers):
        provenance = [
            {name: value for name, value in origin.items() if name != "source_worker_ids"}
            for origin in row.provenance
        ]
        changes |= {"origin": {}, "provenance": provenance}
    return replace(row, **changes)


def context_of_row(row: ExportRow, resources: Json) -> ItemContext:
    """Return the item as its scheme sees it."""
    return ItemContext(
        tokens=row.tokens,
        target=row.target,
        image=row.image,
        metadata=row.metadata,
        resources=resources,
        text=row.text,
        offsets=row.offsets,
    )
