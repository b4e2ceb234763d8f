"""CPU time and memory of `evaluate qasrl` with files of 132,720 predicates.

The files repeat wikinews.dev 105 times, with other ids of sentences. The predicted one lacks some
questions, and has moved answers.
"""

import csv
import json
import os
import random
import sys
from dataclasses import replace

import pytest

from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow
from schemes.qasrl.published_csv import read_sentence_rows
from schemes.registry import get_scheme
from tests.bench.results import record
from tests.environment import ROOT
from tests.schemes.qasrl.published_data import GOLD, SENTENCES, needs_published_data
from tests.schemes.qasrl.test_published_csv import raised

pytestmark = [pytest.mark.bench, needs_published_data]

COPIES = 105
PREDICATES = 1264 * COPIES
MIB = 2**20


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    write_csv(folder / "reference.csv", lambda row: row)
    rng = random.Random(1)
    write_csv(folder / "predicted.csv", lambda row: changed(row, rng))
    write_bank(folder / "predicted.jsonl.gz")
    return folder


def write_csv(path, change):
    with GOLD.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows, names = list(reader), reader.fieldnames
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for copy in range(COPIES):
            copied = ({**row, "qasrl_id": f"{row['qasrl_id']}#{copy}"} for row in rows)
            writer.writerows(row for row in map(change, copied) if row)


def changed(row, rng):
    if rng.random() < 0.15:
        return None
    spans = [map(int, span.split(":")) for span in row["answer_range"].split("~!~")]
    moved = [(max(0, start - rng.randint(0, 1)), end + rng.randint(0, 1)) for start, end in spans]
    ranges = "~!~".join(f"{start}:{end}" for start, end in moved)
    return {**row, "answer_range": ranges, "answer": ""}


def write_bank(path):
    scheme = get_scheme("qasrl")
    sentences = read_sentence_rows(SENTENCES, on_error=raised)
    tokens_of = {sentence.external_id: sentence.tokens for sentence in sentences}
    rows = []
    for gold in scheme.corpus.read_gold([GOLD], "qasrl-csv", raised):
        tokens = tokens_of[gold.item.external_id]
        item = scheme.corpus.complete_item(gold.item, ItemContext(tokens))
        content = scheme.content.parse_gold(gold.content, ItemContext(tokens, item.target))
        rows.append(ExportRow(item.external_id, tokens, item.target, content, gold.provenance))
    rows.sort(key=lambda row: row.external_id)
    copies = (
        replace(row, external_id=f"{row.external_id}#{copy}")
        for copy in range(COPIES)
        for row in rows
    )
    scheme.exports.write(copies, path, "qasrl-bank")


# The peak that wait4() reports includes the memory of the process that starts the command.
WITH_PEAK = """
import atexit, runpy, sys
from pathlib import Path

def write_peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    [kilobytes] = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    Path(peak).write_text(kilobytes)

_, peak, *sys.argv = sys.argv
atexit.register(write_peak)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(folder, *words):
    """Run the command in a process, and return its figures, CPU seconds and most memory in bytes."""
    output, peak = folder / "output.json", folder / "peak"
    command = [
        *(sys.executable, "-c", WITH_PEAK, str(peak), str(ROOT / "manage.py")),
        *("evaluate", "qasrl", *map(str, words), "--json"),
    ]
    with output.open("wb") as file:
        process = os.posix_spawn(
            sys.executable,
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, file.fileno(), 1)],
        )
        _, status, usage = os.wait4(process, 0)
    assert status == 0
    seconds = usage.ru_utime + usage.ru_stime
    return json.loads(output.read_text()), seconds, 1024 * int(peak.read_text())


@pytest.mark.parametrize(
    ("predicted", "title", "bar"),
    [("predicted.csv", "CSV", 10), ("predicted.jsonl.gz", "the QA-SRL Bank's JSON Lines", 20)],
)
def test_evaluation_of_133_000_predicates(files, predicted, title, bar):
    reference = files / "reference.csv"
    figures, seconds, memory = min(
        (run(files, reference, files / predicted) for _ in range(3)), key=lambda result: result[1]
    )
    assert figures["predicates"] == PREDICATES
    if predicted.endswith(".gz"):
        assert figures["UA"]["tp"] == 4315 * COPIES
    record(
        f"`evaluate qasrl`, 133,000 predicates, predictions in {title}",
        f"{seconds:.1f} s, {memory / MIB:.0f} MiB",
    )
    assert (seconds <= bar, memory <= 700 * MIB) == (True, True), (seconds, memory / MIB)
