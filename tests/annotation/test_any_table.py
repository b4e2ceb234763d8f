"""Corpora and gold from anybody's tables, at every entrance: commands, pages and the API."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db.models import QuerySet

from annotation.domain.corpus.source_files import ColumnsError, parse_columns
from annotation.domain.corpus.text_encodings import UnknownEncodingError, codec_of
from annotation.models import Sentence
from consolidation.models import Gold
from jobs.domain.run_jobs import run_next_job
from jobs.models import Job
from projects.domain.create_project import create_project
from projects.enums import MemberRole
from tests.annotation.factories import NOW
from tests.annotation.uploads import read_again, upload_corpus
from tests.dashboard.campaign import make_user
from tests.schemes.workbooks import containers, workbook_bytes

pytestmark = pytest.mark.django_db
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "borders"
HEADER = ("doc_id", "note", "body")
ROWS = [("d:1", "", "Mary didn’t sell a hat; he ran."), ("d:2", "é", "The dog barked.")]
COLUMNS = "id=doc_id,text=body"
TOKENS = [
    ["Mary", "did", "n’t", "sell", "a", "hat", ";", "he", "ran", "."],
    ["The", "dog", "barked", "."],
]
FILES = containers(HEADER, ROWS)


@pytest.fixture
def project(job_files):
    return create_project(slug="corpus", scheme="qasrl", now=NOW)


@pytest.fixture
def office(project, client):
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def command(name: str, *arguments: object, **options: object) -> tuple[dict, str]:
    out, err = StringIO(), StringIO()
    call_command(name, *map(str, arguments), json=True, stdout=out, stderr=err, **options)
    return json.loads(out.getvalue()), err.getvalue()


def refusal(name: str, *arguments: object, **options: object) -> tuple[str, str]:
    err = StringIO()
    with pytest.raises(CommandError) as raised:
        call_command(name, *map(str, arguments), stdout=StringIO(), stderr=err, **options)
    assert raised.value.returncode == 2
    return str(raised.value), err.getvalue()


def upload(office, name: str, content: bytes, **fields: str):
    form = {"corpus": SimpleUploadedFile(name, content), **fields}
    return upload_corpus(office, "corpus", form)


def run_import(office, page) -> Job:
    office.post(page.redirect_chain[-1][0])
    assert run_next_job(clock=lambda: NOW)
    return imports().latest("pk")


def imports() -> QuerySet[Job]:
    return Job.objects.filter(kind="import")


def stored() -> list[tuple[str, list[str]]]:
    return list(Sentence.objects.order_by("external_id").values_list("external_id", "tokens"))


EXPECTED = list(zip(("d:1", "d:2"), TOKENS, strict=True))


@pytest.mark.parametrize("name", sorted(FILES))
def test_command_reads_every_container(project, tmp_path, name):
    path = written(tmp_path, name, FILES[name])
    facts, errors = command("import_corpus", "corpus", path, columns=COLUMNS)
    assert (facts["sentences_added"], facts["format"], errors) == (2, "table", "")
    assert stored() == EXPECTED


@pytest.mark.parametrize("name", sorted(FILES))
def test_page_reads_every_container_with_guessed_columns(office, project, name):
    page = upload(office, name, FILES[name])
    assert page.context["read"].problem == ""
    job = run_import(office, page)
    assert (job.result["sentences_added"], job.parameters["reading"]["columns"]) == (
        2,
        {"id": "doc_id", "text": "body"},
    )
    assert stored() == EXPECTED


def test_columns_are_guessed_by_their_values(office, project):
    rows = [(str(number), f"Mary sold {number} hats to me .") for number in range(3)]
    page = upload(office, "a.csv", containers(("Nr", "Satz"), rows)["semicolons.csv"])
    assert imports().get().parameters["reading"]["columns"] == {"text": "Satz"}
    html = page.content.decode()
    assert "The columns are separated by semicolons." in html
    assert "numbered as a:LINE" in html
    assert [row.external_id for row in page.context["read"].shown] == ["a:2", "a:3", "a:4"]


def test_columns_chosen_on_the_page_are_used_and_remembered(office, project):
    header, rows = (
        ("x", "y", "z"),
        [("a", "He ran .", "The cat sat ."), ("b", "She ran .", "We sat .")],
    )
    content = workbook_bytes(header, rows)
    page = upload(office, "book.xlsx", content)
    address = page.redirect_chain[-1][0]
    chosen = {"column-id": "x", "column-text": "z"}
    twice = office.post(f"{address}?read", {**chosen, "column-text": "x"})
    assert twice.status_code == 422
    assert "Choose a different column for each." in twice.content.decode()
    page = read_again(office, address, chosen)
    assert page.context["read"].shown[0].text == "The cat sat ."
    upload(office, "second.xlsx", content)
    assert imports().latest("pk").parameters["reading"]["columns"] == {"id": "x", "text": "z"}


def test_import_of_an_outdated_preview_is_not_started(office, project):
    page = upload(office, "a.csv", b"x,y\na,He ran .\nb,She ran .\n")
    address = page.redirect_chain[-1][0]
    shown = {"reading": page.context["reading"]}
    office.post(f"{address}?read", {"encoding": "utf-8", "column-text": "x"})
    again = office.post(address, shown, follow=True)
    assert "read in another way since this preview" in again.content.decode()
    office.post(address, {"reading": again.context["reading"]})
    assert imports().get().state == "queued"


def test_table_without_a_guess_asks_for_its_columns(office, project):
    page = upload(office, "a.csv", b"p,q\n1,2\n3,4\n")
    assert "text: the column is missing" in page.context["read"].problem
    html = page.content.decode()
    assert 'name="column-text"' in html
    assert "Import" not in html.split("Discard")[0].split("<h1>")[1]


def test_command_without_columns_says_what_is_missing(project, tmp_path):
    path = written(tmp_path, "a.csv", b"doc_id,body\n1,He ran .\n")
    problem, _ = refusal("import_corpus", "corpus", path)
    assert problem.startswith("a.csv, line 1: text: the column is missing; the header has: doc_id")
    path = written(tmp_path, "b.csv", b"sent_id,text\n1,He ran .\n")
    _, notes = command("import_corpus", "corpus", path)
    assert "There is no column of ids. Sentences are numbered as b:LINE." in notes
    assert "id=sent_id" in notes
    assert stored()[0][0] == "b:2"


def test_format_is_recognised_or_must_be_named(project, tmp_path):
    path = written(tmp_path, "a.txt", b"1\tHe ran .\n2\tShe ran .\n")
    problem, _ = refusal("import_corpus", "corpus", path)
    assert problem == "a.txt: may be text or table. Name the format."
    facts, _ = command("import_corpus", "corpus", path, format="text")
    assert facts["sentences_added"] == 2


@pytest.mark.parametrize(
    "columns", ["id", "id=", "=x", "id=a,id=b", "id=a,text=a", "colour=red", "id=none"]
)
def test_bad_columns_are_refused(project, tmp_path, columns):
    path = written(tmp_path, "a.csv", b"a,text\n1,He ran .\n")
    refusal("import_corpus", "corpus", path, columns=columns)
    assert not Sentence.objects.exists()


def test_gold_and_items_are_read_from_workbooks(project, tmp_path):
    header = ("qasrl_id", "verb_idx", "verb", "Frage", "Spanne")
    sentences = written(
        tmp_path, "s.xlsx", workbook_bytes(("qasrl_id", "tokens"), [("a:1", "He ran .")])
    )
    items = written(
        tmp_path, "i.xlsx", workbook_bytes(header, [("a:1", 1, "ran", "Who ran?", "0:1")])
    )
    facts, _ = command("import_corpus", "corpus", sentences, items=[items])
    assert (facts["sentences_added"], facts["items_added"]) == (1, 1)
    columns = "question=Frage,answer_range=Spanne"
    facts, _ = command("import_gold", "corpus", items, source="expert", columns=columns)
    assert facts["added"] == 1
    assert Gold.objects.get().content["questions"][0]["answers"] == [[0, 1]]
    facts, _ = command("import_system", "corpus", items, system="x", columns=columns)
    assert facts["added"] == 1


def test_range_that_became_a_time_is_named(project, tmp_path):
    command(
        "import_corpus", "corpus", written(tmp_path, "s.csv", b"qasrl_id,tokens\na:1,He ran .\n")
    )
    rows = b"qasrl_id,verb_idx,question,answer_range\na:1,1,Who ran?,2:04:00\n"
    problem, errors = refusal(
        "import_gold", "corpus", written(tmp_path, "g.csv", rows), source="expert"
    )
    assert "'2:04:00' is a time, into which a spreadsheet turned the range" in errors
    assert problem == "None of the 1 annotations could be used."


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not here")
@pytest.mark.parametrize(
    ("name", "options", "added"),
    [
        ("16-semicolons.csv", {}, 1),
        ("16-workbook.xlsx", {}, 1),
        ("05-cp1251.csv", {"encoding": "windows-1251"}, 1),
        ("05-utf8-with-one-cp1252-byte.csv", {"encoding": "windows-1252"}, 2),
    ],
)
def test_awkward_files_are_read(project, name, options, added):
    facts, _ = command("import_corpus", "corpus", CASES / name, **options)
    assert facts["sentences_added"] == added


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not here")
def test_awkward_files_are_refused_with_a_reason(project):
    problem, _ = refusal("import_corpus", "corpus", CASES / "05-cp1251.csv")
    assert "line 2: is not UTF-8 text (byte 0xCC at character 5)" in problem
    problem, errors = refusal("import_corpus", "corpus", CASES / "16-trailing-commas.bank.jsonl")
    assert problem == "None of the 2 rows could be imported."
    assert errors.count("is not JSON") == 2
    problem, _ = refusal("import_corpus", "corpus", CASES / "05-cp1251.csv", encoding="klingon")
    assert "There is no encoding 'klingon'" in problem


def test_names_of_encodings_are_those_of_the_standards():
    assert codec_of("Windows-1251") == codec_of("cp1251") == "cp1251"
    assert codec_of("ISO-8859-15") == codec_of("latin9")
    assert codec_of("Shift_JIS") == "cp932"
    assert codec_of("KOI8-R") == "koi8_r"
    for name in ("rot13", "idna", "base64", "unicode_escape", "utf-7", "", "x" * 1000, "a\0"):
        with pytest.raises(UnknownEncodingError):
            codec_of(name)


def test_columns_are_parsed():
    assert parse_columns(" id = a b , text=c=d ,") == {"id": "a b", "text": "c=d"}
    with pytest.raises(ColumnsError):
        parse_columns("id")


@pytest.mark.parametrize(
    ("token", "name"),
    [
        ("Mary\tAnn", "a tab (U+0009)"),
        ("Mary\u2028Ann", "line separator (U+2028)"),
        ("Mary\u200bAnn", "a zero width space (U+200B)"),
        ("Mary\x85Ann", "a control character (U+0085)"),
    ],
)
def test_tokens_with_separators_are_refused(project, tmp_path, token, name):
    text = f"qasrl_id,tokens\na:1,{token} ran .\n a:2 ,He ran .\n"
    facts, errors = command("import_corpus", "corpus", written(tmp_path, "s.csv", text.encode()))
    assert (facts["sentences_added"], facts["error_count"]) == (1, 1)
    assert name in errors
    assert stored() == [("a:2", ["He", "ran", "."])]
