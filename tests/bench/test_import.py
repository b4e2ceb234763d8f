"""Import of 100,000 sentences with an item each.

The sentences have the lengths, the verbs and the words of the published sentences, in another order,
and their text has no blank before a full stop or comma.
"""

import csv
import os
import random
import time
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from annotation.models import Item, Sentence
from projects.domain.create_project import create_project
from projects.models import Project
from tests.bench.results import record
from tests.environment import ROOT

pytestmark = [
    pytest.mark.bench,
    # Each batch is committed, as in production.
    pytest.mark.django_db(transaction=True),
]

DATA = ROOT.parent / "shared" / "data" / "qasrl-gs"
SENTENCES = int(os.environ.get("BENCH_SENTENCES", "100000"))
MIN_PER_SECOND = 8_300


@pytest.fixture
def corpus(tmp_path) -> tuple[Path, Path]:
    """Return a file of sentences and a file of their items."""
    published = {row["qasrl_id"]: row["tokens"].split() for row in read("wikinews.dev.full.csv")}
    predicates = {
        (row["qasrl_id"], int(row["verb_idx"]), row["verb"])
        for row in read("wikinews.dev.gold.csv")
    }
    models = sorted(predicates)
    words = [word for tokens in published.values() for word in tokens]
    chance = random.Random(0)
    sentences, items = tmp_path / "sentences.csv", tmp_path / "items.csv"
    with sentences.open("w", newline="") as sentence_file, items.open("w", newline="") as item_file:
        write_sentence = csv.writer(sentence_file).writerow
        write_item = csv.writer(item_file).writerow
        write_sentence(["qasrl_id", "tokens", "sentence"])
        write_item(["qasrl_id", "verb_idx", "verb"])
        for number in range(SENTENCES):
            qasrl_id, verb_idx, verb = models[number % len(models)]
            tokens = chance.choices(words, k=len(published[qasrl_id]))
            tokens[verb_idx] = published[qasrl_id][verb_idx]
            joined = " ".join(tokens)
            text = joined.replace(" .", ".").replace(" ,", ",")
            write_sentence([f"Bench:{number}", joined, text])
            write_item([f"Bench:{number}", verb_idx, verb])
    return sentences, items


def read(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


def add_project(slug: str) -> Project:
    return create_project(slug=slug, scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now())


def import_into(project: Project, corpus: tuple[Path, Path]) -> float:
    """Import the corpus and return the sentences per second of CPU time of this process."""
    sentences, items = corpus
    options = CorpusOptions(fmt="qasrl-csv", items=[items])
    start, cpu_start = time.perf_counter(), time.process_time()
    report = Import(project=project, options=options).run([sentences])
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    assert (report.error_count, report.errors) == (0, [])
    assert (report.sentences_added, report.items_added) == (SENTENCES, SENTENCES)
    print(  # noqa: T201
        f"{project.slug} on {connection.vendor}: {SENTENCES / seconds:,.0f} sentences/s, "
        f"{seconds:.1f} s wall, {cpu:.1f} s CPU of this process"
    )
    return SENTENCES / cpu


def test_import_of_100_000_sentences_into_three_projects(corpus):
    """The database statistics cover only the first project."""
    speeds = [import_into(add_project("first"), corpus)]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    speeds += [import_into(add_project(slug), corpus) for slug in ("second", "third")]
    assert Sentence.objects.count() == Item.objects.count() == 3 * SENTENCES
    database = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[connection.vendor]
    record("Import of 100,000 sentences with items", f"{min(speeds):,.0f}/CPU s", database=database)
    assert min(speeds) >= MIN_PER_SECOND
