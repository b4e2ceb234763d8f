"""Files of grounded captions: JSON Lines, Flickr30k Entities, COCO, gRefCOCO and that of MDETR.

Images are named, not copied.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from schemes.contract.files import Exports, FileSet
from schemes.contract.records import ExportRow
from schemes.grounding import coco, flickr30k, grefcoco, mdetr, phrases_jsonl
from schemes.grounding.captions import caption_of
from schemes.grounding.corpus import PHRASES


def _write_grefcoco(rows: Iterable[ExportRow], paths: Mapping[str, Path]) -> Mapping[str, int]:
    names = (grefcoco.REFERENCES, grefcoco.INSTANCES)
    counts = grefcoco.write(rows, *(paths[name] for name in names))
    return dict(zip(names, counts, strict=True))


class GroundingExports(Exports):
    """Files of grounded captions."""

    formats = {PHRASES: "jsonl", "coco": "json", mdetr.MDETR: "json"}
    file_sets = {"grefcoco": FileSet((grefcoco.REFERENCES, grefcoco.INSTANCES), _write_grefcoco)}
    folders = {"flickr30k": flickr30k.write_folder}
    with_metadata = (PHRASES, "coco", mdetr.MDETR, "grefcoco", "flickr30k")

    def write(self, rows: Iterable[ExportRow], path: Path, fmt: str) -> int:
        """Write captions in JSON Lines, COCO's format or MDETR's, and return their number."""
        if fmt == "coco":
            return coco.write(rows, path)
        if fmt == mdetr.MDETR:
            return mdetr.write(rows, path)
        return phrases_jsonl.write_captions(map(caption_of, rows), path)


EXPORTS = GroundingExports()
