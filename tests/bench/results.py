"""Results of the benchmarks, and their table in docs/reference/benchmarks.md.

`make bench` sets BENCH_RESULTS to the file that collects the results of its tests. It then runs
`python -m tests.bench.results` to write the table. Rows without a new result keep the last result.
"""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

from tests.environment import ROOT

PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
_ROW = re.compile(r"^\| (?P<quality>[^|]+?) \| (?P<bar>[^|]+?) \| (?P<result>[^|]*?) \|$", re.M)


def record(quality: str, result: str, *, database: str = "") -> None:
    """Store a result under the first column of its row, separately for each database."""
    if file := os.environ.get("BENCH_RESULTS"):
        path = Path(file)
        results = json.loads(path.read_text()) if path.exists() else {}
        results.setdefault(quality, {})[database] = result
        path.write_text(json.dumps(results))


def write_table(results: dict[str, dict[str, str]], page: str, today: str) -> str:
    """Return the page with the results in its table. Raise KeyError for a result without a row."""
    unknown = set(results) - {match["quality"] for match in _ROW.finditer(page)}
    if unknown:
        raise KeyError(f"docs/reference/benchmarks.md has no row {min(unknown)!r}")

    def row(match: re.Match[str]) -> str:
        measured = results.get(match["quality"])
        if not measured:
            return match[0]
        parts = [f"{name} {value}".strip() for name, value in measured.items()]
        return f"| {match['quality']} | {match['bar']} | {', '.join(parts)} ({today}) |"

    return _ROW.sub(row, page)


def main() -> None:
    file = Path(os.environ["BENCH_RESULTS"])
    results = json.loads(file.read_text()) if file.exists() else {}
    today = datetime.now(UTC).date().isoformat()
    PAGE.write_text(write_table(results, PAGE.read_text("utf-8"), today), "utf-8")


if __name__ == "__main__":
    main()
