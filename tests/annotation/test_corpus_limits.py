"""Corpora that overload an import, and rows that the database can't store."""

import gzip
import time

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError

import annotation.domain.corpus.import_corpus
from annotation.domain.corpus.corpus_limits import MAX_ID, MAX_TOKEN, MAX_TOKENS, within_limits
from annotation.domain.corpus.preview_corpus import preview_corpus
from annotation.domain.corpus.queue_import import queue_import
from annotation.models import Item, Sentence
from schemes.contract.errors import FileError
from schemes.contract.records import SentenceRecord
from schemes.english.predicates import find_predicates
from schemes.plain_text import MAX_PARAGRAPH, sentences
from tests.annotation.factories import NOW
from tests.annotation.test_import_corpus import ITEMS, SENTENCES, project, run, written

__all__ = ["project"]
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"external_id": "a" * (MAX_ID + 1)}, "id of more than 200 characters"),
        ({"tokens": ("The", "a" * (MAX_TOKEN + 1))}, "token of more than 200 characters"),
        ({"tokens": ("a",) * (MAX_TOKENS + 1)}, "more than 2,000 tokens"),
        ({"tokens": ("The", "dog\r\n")}, "token with a carriage return (U+000D)"),
        ({"tokens": ("The\u2028", "dog")}, "token with line separator (U+2028)"),
        ({"metadata": {"score": float("nan")}}, "not finite"),
        ({"metadata": {"text": "\ud800"}}, "half of a character"),
        ({"metadata": {"text": "a\0b"}}, "NUL"),
        ({"metadata": {"text": "a" * 2**20}}, "more than 1 MiB"),
        ({"metadata": {"document": "a" * 201}}, "more than 200 characters as the name"),
        ({"metadata": {"document": '[{"start": 0, "end": 2}]'}}, "JSON as the name"),
        ({"metadata": {"document": "[]"}}, "JSON as the name"),
    ],
)
def test_sentence_above_a_limit_is_reported_and_skipped(bad, message):
    good = {"external_id": "a:1", "tokens": ("The", "dog", "barked"), "metadata": {"n": 1}}
    records = [SentenceRecord(**good | bad, line=2), SentenceRecord(**good, line=3)]
    errors: list[FileError] = []
    assert list(within_limits(records, file="s.csv", on_error=errors.append)) == records[1:]
    assert str(errors[0]).startswith("s.csv, line 2")
    assert message in str(errors[0])


@pytest.mark.parametrize("document", ["[draft] A dog barked", "{x", "[" * 200, "{1, 2}", "[1]"])
def test_name_of_a_document_may_have_brackets(document):
    record = SentenceRecord("a:1", ("The", "dog"), 2, {"document": document})
    assert list(within_limits([record], file="s.csv", on_error=lambda error: None)) == [record]


def test_long_id_is_a_bad_row_and_the_others_are_imported(project, tmp_path):
    rows = f"{'a' * 201},The dog barked .,x\na:2,Cats purr .,x\n"
    facts, errors = run(project, written(tmp_path, "s.csv", SENTENCES + rows))
    assert (facts["sentences_added"], facts["error_count"]) == (1, 1)
    assert "s.csv, line 2" in errors


def test_sentence_with_a_long_token_is_read_quickly(project, tmp_path):
    accents = "e\u0301" * 5000
    rows = f"a:1,The {'a' * 3200} barked .,x\na:2,The {accents} barked .,x\n"
    before = time.process_time()
    good = "a:3,The dog barked .,x\n"
    facts, _ = run(project, written(tmp_path, "s.csv", SENTENCES + rows + good))
    assert (facts["sentences_added"], facts["error_count"]) == (1, 2)
    assert time.process_time() - before < 5


@pytest.mark.parametrize("part", ["a", "-", "e\u0301", "A.", "ing"])
def test_time_of_the_tagger_is_linear_in_the_token_length(part):
    find_predicates(("warm", "up"))
    before = time.process_time()
    find_predicates(("The", (part * 20_000)[:20_000], "barked"))
    assert time.process_time() - before < 2


@pytest.mark.parametrize("part", ["a-", ".", "A.", "a'", "e\u0301", "(", "..a"])
def test_time_of_the_tokenizer_is_linear_in_the_word_length(part):
    list(sentences("Warm up."))
    before = time.process_time()
    list(sentences((part * MAX_PARAGRAPH)[: MAX_PARAGRAPH // 4]))
    assert time.process_time() - before < 5


def test_too_many_bad_rows_stop_the_import(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(annotation.domain.corpus.import_corpus, "MAX_BAD_ROWS", 100)
    path = tmp_path / "bank.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}\n" * 1000))
    with pytest.raises(CommandError, match=r"line 101: .*more than 100 bad rows"):
        run(project, path, fmt="qasrl-bank")
    assert not Sentence.objects.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"{}\n" * 14_500_000, "bad rows"), (b"\n" * 40_000_000, "empty lines")],
    ids=["empty objects", "empty lines"],
)
def test_small_file_with_huge_content_stops_early(project, tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bank.jsonl.gz"
    path.write_bytes(gzip.compress(content))
    assert path.stat().st_size < 100_000
    before = time.process_time()
    with pytest.raises(CommandError, match=message):
        run(project, path, fmt="qasrl-bank")
    assert time.process_time() - before < 10


@pytest.mark.parametrize("content", [b"{}\n" * 1_000_000, b"\n" * 1_000_000])
def test_preview_stops_at_too_many_bad_rows(project, job_files, content):
    file = SimpleUploadedFile("bank.jsonl.gz", gzip.compress(content))
    job = queue_import(
        project=project,
        fmt="qasrl-bank",
        files=[file],
        items_files=[],
        domain="",
        partition="",
        strict=False,
        actor="rita",
        now=NOW,
    )
    before = time.process_time()
    preview = preview_corpus(project=project, job=job)
    assert "bank.jsonl.gz, line" in preview.problem
    assert time.process_time() - before < 2


def test_file_may_unpack_to_a_hundred_times_its_size(project, tmp_path):
    path = tmp_path / "bank.jsonl.gz"
    line = b'{"x": "%s"}\n' % (b" " * 1_000_000)
    path.write_bytes(gzip.compress(line * 100))
    with pytest.raises(CommandError, match="unpacks to more than 64 MiB"):
        run(project, path, fmt="qasrl-bank")


def test_item_with_a_long_key_is_a_bad_row(project, tmp_path):
    rows = f"{'a' * 200},The dog barked .,x\n"
    items = written(tmp_path, "q.csv", f"{ITEMS}{'a' * 200},2,barked,Who barked?,0:2\n")
    facts, _ = run(project, written(tmp_path, "s.csv", SENTENCES + rows), items=[items])
    assert (facts["items_added"], facts["error_count"]) == (1, 0)
    assert Item.objects.get().key == f"{'a' * 200}/2"
