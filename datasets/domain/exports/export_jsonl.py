"""Gold as JSON Lines, with an item per line, for every scheme."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from schemes.contract.records import ExportRow, Judged
from schemes.contract.values import Json

BUFFER = 1 << 18
OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


def write_jsonl(*, rows: Iterable[ExportRow], path: Path) -> int:
    """Write the rows as JSON Lines. Return the number of lines.

    Keys are sorted, because databases return JSON in different orders.
    """
    count = 0
    with path.open("wb", buffering=BUFFER) as file:
        for row in rows:
            line: dict[str, Any] = {
                "content": row.content,
                "provenance": row.provenance,
                "sentence_id": row.external_id,
                "target": row.target,
                "tokens": row.tokens,
            }
            if row.document:
                line["document"] = row.document
            if row.text:
                line["text"] = row.text
            if row.offsets:
                line["offsets"] = row.offsets
            if row.certainty:
                line["certainty"] = {
                    "coverage": row.certainty.coverage,
                    "difficulty": row.certainty.difficulty,
                    "probabilities": row.certainty.probabilities,
                }
            if row.judged:
                line["judgments"] = _judgments(row.judged)
            file.write(orjson.dumps(line, option=OPTIONS))
            count += 1
    return count


def _judgments(judged: Judged) -> Json:
    """Return every annotator's content with their ids."""
    return {
        "generations": [
            {"worker_id": by, "content": content} for by, content in judged.generations
        ],
        "consolidation": {"worker_id": judged.by, "content": judged.consolidation}
        if judged.consolidation
        else None,
        "validations": [
            {"worker_id": by, "content": content} for by, content in judged.validations
        ],
    }
