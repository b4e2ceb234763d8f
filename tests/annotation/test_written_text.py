"""Sentences keep the text that they were written in, from every format to pages and exports."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation.domain.corpus.written_text import written_text
from annotation.domain.publishing.queries import items_with_text
from annotation.models import Sentence
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from projects.domain.create_project import create_project
from projects.enums import MemberRole
from projects.models import Project
from qualification.domain.rounds.choose_items import search_items
from schemes.contract.errors import FileError
from schemes.contract.records import SentenceRecord
from schemes.grounding.corpus import CORPUS
from schemes.original_text import align
from tests.annotation.factories import NOW
from tests.annotation.uploads import run_jobs, upload_corpus
from tests.dashboard.campaign import make_user
from tests.walk import run

pytestmark = pytest.mark.django_db
QUOTE = "He said: “I can't.”"
TOKENS = ["He", "said", ":", "``", "I", "ca", "n't", ".", "''"]
CSV = f"qasrl_id,tokens,sentence\nq1,{' '.join(TOKENS)},{QUOTE}\n"
ITEMS = "qasrl_id,verb_idx,verb\nq1,1,said\n"
WRONG = "qasrl_id,tokens,sentence\nq1,He said,He says\nq2,He ran,He ran\n"


ID = "# sent_id = d1"


def conllu(*rows: tuple[str, str, str], comments: str = ID) -> str:
    lines = ["\t".join((number, form, *"_______", misc)) for number, form, misc in rows]
    return "\n".join([comments, *lines, "\n"])


ZUM = [
    ("1", "Er", "_"),
    ("2", "ging", "_"),
    ("3-4", "zum", "_"),
    ("3", "zu", "_"),
    ("4", "dem", "_"),
    ("5", "Arzt", "SpaceAfter=No"),
    ("6", ".", "_"),
]
ZUM_PARTS = ["Er", "ging", "zum", "zum", "Arzt", "."]
SPACED = "Er ging zum  Arzt."


def make(slug: str, scheme: str = "qasrl") -> Project:
    return create_project(slug=slug, scheme=scheme, now=NOW)


def import_text(project: Project, path: Path, text: str, fmt: str, **options) -> dict:
    path.write_text(text, encoding="utf-8")
    out, err = StringIO(), StringIO()
    command = ("import_corpus", project.slug, str(path))
    call_command(*command, format=fmt, json=True, stdout=out, stderr=err, **options)
    return {**json.loads(out.getvalue()), "stderr": err.getvalue()}


def slices(sentence: Sentence) -> list[str]:
    return [sentence.text[start:end] for start, end in sentence.offsets]


@pytest.mark.parametrize(
    ("scheme", "fmt", "source", "written"),
    [
        ("qasrl", "qasrl-csv", CSV, (QUOTE, ["He", "said", ":", "“", "I", "ca", "n't", ".", "”"])),
        ("qasrl", "text", "I can't go.", ("I can't go.", ["I", "ca", "n't", "go", "."])),
        (
            "frames",
            "text",
            "It's (not) ok!",
            ("It's (not) ok!", ["It", "'s", "(", "not", ")", "ok", "!"]),
        ),
        (
            "frames",
            "conllu",
            conllu(*ZUM, comments=f"{ID}\n# text = {SPACED}"),
            (SPACED, ZUM_PARTS),
        ),
        ("frames", "conllu", conllu(*ZUM), ("Er ging zum Arzt.", ZUM_PARTS)),
        ("frames", "conllu", conllu(("1", "Geh", "_"), ("2", "!", "_")), ("", [])),
        ("custom", "text", "I can't go.", ("I can't go.", ["I", "ca", "n't", "go", "."])),
        (
            "custom",
            "conllu",
            conllu(*ZUM, comments=f"{ID}\n# text = {SPACED}"),
            (SPACED, ZUM_PARTS),
        ),
        ("custom", "conllu", conllu(*ZUM), ("Er ging zum Arzt.", ZUM_PARTS)),
        (
            "custom",
            "table",
            f'id,text\nq1,"{QUOTE}"\n',
            (QUOTE, ["He", "said", ":", "“", "I", "ca", "n't", ".", "”"]),
        ),
        ("qasrl", "qasrl-csv", CSV.replace(QUOTE, " ".join(TOKENS)), ("", [])),
        ("qasrl", "qasrl-csv", "qasrl_id,tokens\nq1,He ran .\n", ("", [])),
    ],
)
def test_text_is_stored_with_offsets(tmp_path, scheme, fmt, source, written):
    text, parts = written
    report = import_text(make("news", scheme), tmp_path / "news.txt", source, fmt)
    assert (report["sentences_added"], report["warning_count"]) == (1, 0)
    sentence = Sentence.objects.get()
    assert (sentence.text, slices(sentence)) == (text, parts)
    assert sentence.shown_text == " ".join((text or " ".join(sentence.tokens)).split())


def test_paragraphs_are_divided_into_the_texts_of_their_sentences(tmp_path):
    paragraph = "“Don't go!” she said.  He left (again).\nA second line…\n"
    import_text(make("news"), tmp_path / "news.txt", paragraph, "text")
    texts = list(Sentence.objects.order_by("pk").values_list("text", flat=True))
    assert all(texts)
    assert "".join("".join(texts).split()) == "".join(paragraph.split())
    assert all(Sentence.objects.values_list("offsets", flat=True))


def test_text_of_other_words_is_stored_with_a_warning(tmp_path):
    path = tmp_path / "news.csv"
    report = import_text(make("news"), path, WRONG, "qasrl-csv")
    assert (report["sentences_added"], report["error_count"], report["warning_count"]) == (2, 0, 1)
    assert report["stderr"].splitlines() == [
        f"Warning: {path}, line 2: has a text that does not consist of its tokens. Pages show its "
        "tokens with blanks."
    ]
    sentence = Sentence.objects.get(external_id="q1")
    assert (sentence.text, sentence.offsets, sentence.shown_text) == ("He says", [], "He said")


def test_characters_that_databases_refuse_are_left_out_of_the_text():
    record = SentenceRecord("a:1", ("a", "b"), 1, text="a\0b \ud800")
    assert written_text(record) == ("ab \ufffd", ())


def test_caption_with_characters_that_databases_refuse_is_a_bad_row(tmp_path):
    lines = [
        json.dumps({"tokens": ["a", "b"], "image": "a.png", "caption": caption})
        for caption in ("a\0b \ud800", "a  b")
    ]
    path = tmp_path / "captions.jsonl"
    path.write_text("\n".join(lines))
    errors: list[FileError] = []
    [record] = CORPUS.read_sentences(path, "captions-jsonl", errors.append)
    assert (record.line, record.text) == (2, "a  b")
    assert [(error.line, error.field) for error in errors] == [(1, "caption")]


@pytest.fixture
def office(client, job_files):
    project = make("news")
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client, project


def test_preview_shows_the_text_and_warns(office):
    client, project = office
    page = reverse("annotation:corpus", args=[project.slug])
    upload = SimpleUploadedFile("news.csv", (CSV + "q2,He ran .,He runs.\n").encode())
    preview = upload_corpus(client, project.slug, {"corpus": upload, "format": "qasrl-csv"})
    read = preview.context["read"]
    assert [row.text for row in read.shown] == [QUOTE, "He ran ."]
    assert read.warnings == [
        "Line 3 has a text that does not consist of its tokens. Pages show its tokens with blanks."
    ]
    assert "He said: “I can&#x27;t.”" in preview.content.decode()
    client.post(preview.redirect_chain[-1][0])
    run_jobs()
    html = client.get(page).content.decode()
    assert "Warnings (1)" in html
    assert "news.csv, line 3: has a text" in html


def test_items_are_found_by_their_text_as_written_and_by_their_tokens(tmp_path):
    project = make("news")
    items = tmp_path / "items.csv"
    items.write_text(ITEMS)
    import_text(project, tmp_path / "news.csv", CSV, "qasrl-csv", items=[items])
    for text in ("I can't", "said: “I", "``", "I ca n't", "I CAN'T"):
        assert project.items.filter(items_with_text(text, project=project)).count() == 1
    for text in ("I can't", "he said:", "I ca n't"):
        assert len(search_items(project.items.all(), project=project, text=text)) == 1
    assert not project.items.filter(items_with_text("I cant", project=project)).exists()


def test_exported_files_give_the_text_back(tmp_path):
    project = make("news")
    items = tmp_path / "items.csv"
    items.write_text(ITEMS)
    import_text(project, tmp_path / "news.csv", CSV, "qasrl-csv", items=[items])
    content = {"questions": [{"question": "Who said something?", "answers": [[0, 1]]}]}
    item = project.items.get()
    fields = {"source": GoldSource.EXPERT, "provenance": [{}], "now": NOW}
    add_gold(item=item, content=content, **fields)
    out = tmp_path / "out"
    for fmt in ("qasrl-csv", "jsonl"):
        run("export_gold", "news", "--format", fmt, "--source", "expert", "--out", out / fmt)
    row = json.loads((out / "jsonl" / "news.all.gold.jsonl").read_text())
    assert (row["tokens"], row["text"]) == (TOKENS, QUOTE)
    assert row["offsets"] == [list(offset) for offset in align(TOKENS, QUOTE)]
    exported = (out / "qasrl-csv" / "news.all.sentences.csv").read_text()
    again = make("again")
    import_text(again, tmp_path / "again.csv", exported, "qasrl-csv")
    sentence = again.sentences.get()
    assert (sentence.text, sentence.offsets) == (QUOTE, row["offsets"])


def test_treebank_is_exported_with_its_text_and_written_words(tmp_path):
    project = make("german", "frames")
    source = conllu(*ZUM, comments=f"{ID}\n# text = Er ging zum Arzt.").replace(
        "ging\t_\t_", "ging\tgehen\tVERB"
    )
    import_text(project, tmp_path / "d.conllu", source, "conllu")
    content = {
        "skip": None,
        "verb": [1],
        "lemma": "gehen",
        "frame": "Motion",
        "arguments": [],
        "confidence": None,
    }
    fields = {"source": GoldSource.EXPERT, "provenance": [], "now": NOW}
    add_gold(item=project.items.get(), content=content, **fields)
    out = tmp_path / "out"
    run("export_gold", "german", "--format", "semeval", "--source", "expert", "--out", out)
    exported = (out / "german.all.conllu").read_text()
    assert "# text = Er ging zum Arzt.\n" in exported
    assert [line.split("\t")[::9] for line in exported.splitlines() if line[:1].isdigit()] == [
        [number, "SpaceAfter=No" if number == "5" else "_"] for number, _, _ in ZUM
    ]
    again = make("again", "frames")
    import_text(again, tmp_path / "again.conllu", exported, "conllu")
    first, second = project.sentences.get(), again.sentences.get()
    assert (second.text, second.offsets) == (first.text, first.offsets)
