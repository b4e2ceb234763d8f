"""Partitions, which are drawn by a seed within strata and keep sentences and documents whole."""

import json
from collections import defaultdict
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.models import Sentence
from datasets.domain.exports.partitions import (
    Draw,
    PartitionError,
    check_frozen,
    check_partitions,
    draw_partitions,
    freeze_partitions,
)
from datasets.models import Partitioning
from schemes.registry import get_scheme
from tests.consolidation.factories import make_project
from tests.crowd.factories import NOW

HALVES = {"dev": 50, "test": 50}


def add_sentences(project, rows) -> None:
    """Add sentences from rows of (id, words, domain) or (id, words, domain, partition)."""
    Sentence.objects.bulk_create(
        Sentence(
            project=project,
            external_id=row[0],
            tokens=row[1].split(),
            domain=row[2],
            partition=row[3] if len(row) > 3 else "",
            group=get_scheme(project.scheme).corpus.group(row[0]),
        )
        for row in rows
    )


def bank_rows(domain: str, documents: int, sentences: int):
    return [
        (f"Wiki1k:{domain}:{doc}:0:{at}", f"{domain} {doc} {at}", domain)
        for doc in range(documents)
        for at in range(sentences)
    ]


def division(project) -> dict[str, str]:
    return dict(project.sentences.values_list("external_id", "partition"))


def draw(project, **options):
    options = {"shares": HALVES, "seed": 7, **options}
    return draw_partitions(project=project, draw=Draw(**options), now=NOW)


@pytest.fixture
def project(db):
    return make_project()


def run(project, *words) -> dict:
    out = StringIO()
    call_command("partition", project.slug, *words, "--json", stdout=out)
    return json.loads(out.getvalue())


# --- drawing


def test_domains_are_divided_by_the_shares(project):
    add_sentences(project, bank_rows("wikinews", 10, 4) + bank_rows("wikipedia", 25, 4))
    sizes = draw(project, shares={"train": 80, "dev": 10, "test": 10})
    assert sizes == {
        ("wikinews", "train"): 32,
        ("wikinews", "dev"): 4,
        ("wikinews", "test"): 4,
        ("wikipedia", "train"): 80,
        ("wikipedia", "dev"): 10,
        ("wikipedia", "test"): 10,
    }


def test_same_seed_gives_the_same_partitions_in_any_order_of_import(project):
    rows = bank_rows("wikinews", 10, 3)
    add_sentences(project, rows)
    other = make_project()
    add_sentences(other, reversed(rows))
    draw(project)
    draw(other)
    assert division(project) == division(other)
    draw(other, seed=8, redraw=True)
    assert division(project) != division(other)


def test_documents_are_not_split(project):
    add_sentences(project, bank_rows("wikinews", 20, 5))
    draw(project, unit="document")
    partitions_by_document = defaultdict(set)
    for name, partition in division(project).items():
        partitions_by_document[name.rsplit(":", 2)[0]].add(partition)
    assert {len(partitions) for partitions in partitions_by_document.values()} == {1}
    assert {min(partitions) for partitions in partitions_by_document.values()} == {"dev", "test"}


def test_group_takes_precedence_over_the_id(project):
    add_sentences(project, [(f"s{at}", f"words {at}", "news") for at in range(8)])
    for at, sentence in enumerate(project.sentences.order_by("external_id")):
        sentence.group = f"d{at // 4}"
        sentence.save()
    draw(project, unit="document")
    partitions = division(project)
    assert len({partitions[f"s{at}"] for at in range(4)}) == 1
    assert len({partitions[f"s{at}"] for at in range(4, 8)}) == 1


def test_document_pattern_takes_precedence_over_the_group(project):
    add_sentences(
        project, [(f"{doc}-{at}", f"{doc} {at}", "news") for doc in "ab" for at in "0123"]
    )
    project.sentences.update(group="one image")
    draw(project, unit="document", document_pattern=r"(\w+)-\d+")
    partitions = division(project)
    assert {len({partitions[f"{doc}-{at}"] for at in "0123"}) for doc in "ab"} == {1}
    assert set(partitions.values()) == set(HALVES)


def test_duplicate_sentences_share_a_partition(project):
    rows = [(f"s{at}", "the same words" if at % 2 else f"words {at}", "news") for at in range(40)]
    add_sentences(project, rows)
    draw(project)
    partitions = division(project)
    assert len({partitions[f"s{at}"] for at in range(1, 40, 2)}) == 1
    check_partitions(project=project)


class AnyCorpus(TestCase):
    @settings(suppress_health_check=list(HealthCheck))
    @given(
        st.lists(
            st.tuples(st.integers(0, 5), st.integers(0, 12), st.sampled_from(["a", "b"])),
            min_size=1,
            max_size=40,
        ),
        st.integers(0, 2**31),
        st.sampled_from(["sentence", "document"]),
    )
    def test_every_sentence_is_assigned_and_nothing_is_split(self, corpus, seed, unit):
        with transaction.atomic():
            project = make_project()
            add_sentences(
                project,
                [(f"c:{doc}:0:{at}", f"w{w}", d) for at, (doc, w, d) in enumerate(corpus)],
            )
            draw(project, seed=seed, unit=unit)
            partition_by_id = division(project)
            assert set(partition_by_id.values()) <= set(HALVES)
            by_words, by_document = defaultdict(set), defaultdict(set)
            for at, (doc, words, _) in enumerate(corpus):
                by_words[words].add(partition_by_id[f"c:{doc}:0:{at}"])
                by_document[doc].add(partition_by_id[f"c:{doc}:0:{at}"])
            assert all(len(partitions) == 1 for partitions in by_words.values())
            assert unit == "sentence" or all(
                len(partitions) == 1 for partitions in by_document.values()
            )


# --- bad input


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--shares", "dev=50,test=49"], "add up to 100"),
        (["--shares", "dev=100,test=0"], "above 0"),
        (["--shares", "dev=50,holdout=50"], "'holdout' is not a partition"),
        (["--shares", "dev"], "is not like dev=50,test=50"),
        (["--shares", "dev=50,dev=50"], "is not like dev=50,test=50"),
        (
            ["--shares", "dev=50,test=50", "--unit", "document"],
            "document of the sentence 's1' is not known",
        ),
        (
            ["--shares", "dev=50,test=50", "--unit", "document", "--document", "("],
            "not a regular expression",
        ),
        (["--shares", "dev=50,test=50", "--unit", "document", "--document", "s"], "has no group"),
        (["--freeze"], "Draw partitions first"),
    ],
)
def test_bad_draw_is_refused_without_changes(project, words, message):
    add_sentences(project, [("s1", "a b", "news"), ("s2", "c d", "news")])
    with pytest.raises(CommandError, match=message):
        run(project, *words)
    assert set(division(project).values()) == {""}
    assert not Partitioning.objects.exists()


def test_partitions_of_the_corpus_are_kept_without_redraw(project):
    add_sentences(project, [("s1", "a b", "news", "dev"), ("s2", "c d", "news")])
    with pytest.raises(PartitionError, match="--redraw"):
        draw(project)
    assert division(project) == {"s1": "dev", "s2": ""}
    draw(project, redraw=True)
    assert sorted(division(project).values()) == ["dev", "test"]


# --- frozen


def test_sentence_in_two_partitions_cannot_be_frozen(project):
    add_sentences(project, [("s1", "a b", "news", "dev"), ("s2", "a b", "news", "test")])
    with pytest.raises(PartitionError, match=r"s1 \(dev\) and s2 \(test\)"):
        freeze_partitions(project=project, now=NOW)
    assert not Partitioning.objects.exists()


def test_frozen_partitions_are_not_redrawn(project):
    add_sentences(project, bank_rows("wikinews", 4, 2))
    facts = run(project, "--shares", "dev=50,test=50", "--freeze")
    assert (facts["frozen"], facts["unit"], facts["seed"]) == (True, "sentence", project.seed)
    before = division(project)
    with pytest.raises(CommandError, match="were frozen on") as excinfo:
        run(project, "--shares", "dev=10,test=90", "--redraw")
    assert excinfo.value.returncode == 2
    assert division(project) == before


def test_change_of_a_frozen_partition_is_detected(project):
    add_sentences(project, bank_rows("wikinews", 4, 2))
    draw(project)
    freeze_partitions(project=project, now=NOW)
    add_sentences(project, [("late", "one more", "wikinews")])
    assert check_frozen(project=project).frozen_at == NOW
    add_sentences(project, [("later", "yet one more", "wikinews", "dev")])
    with pytest.raises(PartitionError, match="have changed since"):
        check_frozen(project=project)
    with pytest.raises(PartitionError, match="have changed since"):
        freeze_partitions(project=project, now=NOW)
