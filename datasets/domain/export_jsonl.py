"""Gold as JSON Lines, with an item per line, for every scheme."""

import json
from collections.abc import Iterable
from pathlib import Path

from schemes.base import ExportRow

BUFFER = 1 << 18


def write_jsonl(*, rows: Iterable[ExportRow], path: Path) -> int:
    """Write the rows as JSON Lines. Return the number of lines.

    Keys are sorted, because databases return JSON in different orders.
    """
    count, of, tokens = 0, None, ""
    encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
    with path.open("w", encoding="utf-8", newline="", buffering=BUFFER) as file:
        for row in rows:
            if row.external_id != of:  # the rows of a sentence are adjacent
                of, tokens = row.external_id, encode(row.tokens)
            file.write(
                f'{{"content": {encode(row.content)}, "provenance": {encode(row.provenance)}, '
                f'"sentence_id": {encode(of)}, "target": {encode(row.target)}, "tokens": {tokens}}}\n'
            )
            count += 1
    return count
