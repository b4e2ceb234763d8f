import pytest

from tests.bench.results import write_table

PAGE = """# Benchmarks

| Quality | Bar | Last measured |
| --- | --- | --- |
| Export | ≤ 10 s | 3 s (2026-01-01) |
| Page weight | ≤ 60 kB | not measured |

Text below.
"""


def test_results_replace_those_of_their_rows():
    results = {"Export": {"csv": "4 s", "jsonl": "2 s"}}
    assert write_table(results, PAGE, "2026-11-24") == PAGE.replace(
        "3 s (2026-01-01)", "csv 4 s, jsonl 2 s (2026-11-24)"
    )


def test_result_without_a_row_is_refused():
    with pytest.raises(KeyError, match="no row 'Imports'"):
        write_table({"Imports": {"": "1 s"}}, PAGE, "2026-11-24")
