"""Gold as plain JSON Lines, the same for every scheme: an item a line."""

import json
from collections.abc import Iterable
from pathlib import Path

from schemes.base import ExportRow

BUFFER = 1 << 18


def write_jsonl(*, rows: Iterable[ExportRow], path: Path) -> int:
    """Streams `{"sentence_id", "tokens", "target", "content", "provenance"}`; returns the number of
    lines. Keys are sorted: databases give JSON back in different orders."""
    count = 0
    encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
    with path.open("w", encoding="utf-8", newline="", buffering=BUFFER) as file:
        for row in rows:
            entry = {
                "sentence_id": row.external_id,
                "tokens": row.tokens,
                "target": row.target,
                "content": row.content,
                "provenance": row.provenance,
            }
            file.write(encode(entry) + "\n")
            count += 1
    return count
