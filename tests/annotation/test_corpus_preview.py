"""The preview of an upload with its encoding, counts, warnings and cost, and the sample corpus."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.domain.corpus import preview_corpus as preview_module
from annotation.domain.corpus.check_upload import check_of
from annotation.domain.corpus.text_encodings import ENCODINGS
from jobs.models import Job
from operations.models import Heartbeat
from projects.domain.create_project import create_project
from projects.domain.resources import current_versions
from projects.enums import MemberRole
from schemes.registry import SCHEMES
from tests.annotation.factories import NOW
from tests.annotation.uploads import preview_of, read_again, run_jobs, upload_corpus
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db
TEXT = "The café in Zürich sold “fresh” bread .\n"


@pytest.fixture
def project(job_files):
    return create_project(slug="news", scheme="qasrl", now=NOW)


@pytest.fixture
def office(project, client):
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def upload(client, project, content: bytes, name: str = "news.txt"):
    return upload_corpus(client, project.slug, {"corpus": SimpleUploadedFile(name, content)})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_with_a_mark_or_in_utf_8_is_imported(office, project, encoding):
    preview = upload(office, project, TEXT.encode(encoding))
    assert "The café in Zürich sold" in preview.content.decode()
    office.post(preview.redirect_chain[-1][0])
    run_jobs()
    assert project.sentences.get().tokens[1:4] == ["café", "in", "Zürich"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (TEXT, "windows-1252"),
        (TEXT, "utf-16-le"),
        ("Žluťoučký kůň běžel domů .\n", "windows-1250"),
        ("Мария продала шляпу .\n", "windows-1251"),
        ("Zoë’s café sold bread .\n", "mac-roman"),
        ("猫が 走った 。\n", "shift-jis"),
        ("猫 跑 了 。\n", "gb18030"),
        ("Il a payé 5 € .\n", "iso-8859-15"),
    ],
)
def test_text_in_another_encoding_is_read_after_it_is_chosen(office, project, text, encoding):
    page = upload(office, project, text.encode(encoding))
    read = page.context["read"]
    assert "line 1" in read.problem
    assert not read.can_be_imported
    assert encoding not in ENCODINGS or text.strip() in read.readings[encoding]
    address = page.redirect_chain[-1][0]
    chosen = encoding if encoding in ENCODINGS else "utf-16"
    again = read_again(office, address, {"encoding": chosen})
    assert again.context["read"].problem == ""
    office.post(address)
    run_jobs()
    assert "".join(project.sentences.get().tokens) == "".join(text.split())


def test_preview_is_read_again_in_the_chosen_encoding(office, project):
    page = upload(office, project, "Zürich sold bread .\n".encode("latin-1"))
    assert "byte 0xFC at character 2" in page.content.decode()
    address = page.redirect_chain[-1][0]
    again = office.post(
        f"{address}?read", {"encoding": "shift-jis"}, headers={"hx-request": "true"}
    )
    assert "<html" not in again.content.decode()
    office.post(f"{address}?read", {"encoding": "nonsense"})
    assert Job.objects.get(kind="import").parameters["reading"]["encoding"] == "shift-jis"
    again = read_again(office, address, {"encoding": "iso-8859-1"})
    assert "Zürich sold bread ." in again.content.decode()


def test_bytes_that_the_chosen_encoding_lacks_are_an_error(office, project):
    page = upload(office, project, b"He sold bread .\nShe sold \x81 bread .\n")
    chosen = {"encoding": "windows-1252"}
    again = read_again(office, page.redirect_chain[-1][0], chosen)
    problem = again.context["read"].problem
    assert "line 2: is not Windows-1252" in problem
    assert "byte 0x81 at character 10" in problem


def test_text_that_was_decoded_wrongly_before_is_a_warning(office, project):
    garbled = "Zoë sold a café – for 10 € .".encode().decode("cp1252")
    read = upload(office, project, f"He ran .\n{garbled}\n".encode()).context["read"]
    assert read.warnings[0].startswith("Line 2 looks wrongly encoded: “ZoÃ«")
    assert "may be “Zoë" in read.warnings[0]


def test_preview_counts_and_warns_with_line_numbers(office, project):
    long = "The dog sold " + "very " * 600 + "old bread ."
    rows = ["The dog sold bread .", "The dog sold bread .", "", "A cat\x07 sat .", long, "He ran ."]
    read = upload(office, project, "\n".join(rows).encode()).context["read"]
    assert (read.sentences, read.known, read.repeated, read.bad_rows) == (5, 0, 0, 0)
    assert (read.items, read.duplicates) == (5, 1)
    assert read.warnings == [
        "Line 2 has the same text as line 1. Both are imported.",
        "Line 5 is very long for a sentence (3,024 characters, 606 tokens).",
        "Line 3 is empty and is skipped.",
        "Line 4 has a control character (U+0007).",
    ]


def test_preview_counts_existing_sentences(office, project):
    first = upload(office, project, b"The dog sold bread .\n")
    office.post(first.redirect_chain[-1][0])
    run_jobs()
    read = upload(office, project, b"The dog sold bread .\nA cat sat .\n").context["read"]
    assert (read.sentences, read.known, read.items) == (1, 1, 1)
    assert [row.note for row in read.shown] == ["already in the project", ""]


def test_repeated_ids_are_listed_and_skipped(office, project):
    words = "".join(f"{n}\t{word}" + "\t_" * 8 + "\n" for n, word in ((1, "Dogs"), (2, "bark")))
    page = upload(office, project, f"# sent_id = a\n{words}\n".encode() * 2, "news.conllu")
    read = page.context["read"]
    assert (read.sentences, read.bad_rows) == (1, 1)
    assert "is repeated" in read.errors[0]
    assert "Import 1 sentence<" in page.content.decode()


def test_preview_shows_the_first_rows_and_the_total_cost(office, project):
    page = upload(office, project, b"The dog sold bread .\n" * 1204)
    html = page.content.decode()
    assert "20 of 1,204 sentences" in html
    assert (page.context["read"].duplicates, len(page.context["read"].warnings)) == (1203, 10)
    assert "Import 1,204 sentences" in html
    # Two generators for 3 questions (5 + 5 cents) and a consolidator for 6 (5 + 18), with fees.
    assert page.context["item_cents"] == pytest.approx(2 * (10 + 2) + 23 + 5)
    assert "$626.08" in html


def test_upload_is_read_by_a_job_only(office, project):
    form = {"corpus": SimpleUploadedFile("news.txt", b"The dog sold bread .\n")}
    page = office.post(reverse("annotation:corpus", args=["news"]), form, follow=True)
    html = page.content.decode()
    assert "Reading the file" in html
    assert "every '0.5s'" in html
    assert "Reload this page</a> to see the preview." in html
    assert "Import 1 sentence" not in html
    assert page.context["read"] is None
    run_jobs()
    address = page.redirect_chain[-1][0]
    html = office.get(address).content.decode()
    assert "Import 1 sentence" in html
    assert "The preview is ready." in html
    assert 'hx-trigger="every' not in html
    assert Job.objects.filter(kind="corpus-check").count() == 1


def test_reload_repeats_nothing(office, project):
    page = upload(office, project, b"The dog sold bread .\n")
    address = page.redirect_chain[-1][0]
    for _ in range(8):
        office.get(address)
        office.post(f"{address}?read", {"encoding": "utf-8"})
    assert Job.objects.filter(kind="corpus-check").count() == 1


def test_large_upload_shows_its_first_rows_before_all_are_read(office, project, monkeypatch):
    monkeypatch.setattr(preview_module, "SMALL_BYTES", 100)
    monkeypatch.setattr(preview_module, "ROWS", 5)
    shown = []

    def look(run, count):
        shown.append(office.get(address).content.decode())

    monkeypatch.setattr(preview_module, "_report", look)
    form = {"corpus": SimpleUploadedFile("news.txt", b"The dog sold bread .\n" * 30)}
    page = office.post(reverse("annotation:corpus", args=["news"]), form, follow=True)
    address = page.redirect_chain[-1][0]
    run_jobs()
    assert "Reading the whole file" in shown[0]
    assert "5 of more than 5 sentences" in shown[0]
    html = office.get(address).content.decode()
    assert "20 of 30 sentences" in html
    assert "Reading the whole file" not in html
    again = office.post(f"{address}?read", {"encoding": "utf-16"}, follow=True)
    html = again.content.decode()
    assert "Reading the file" in html
    # The figures of the other reading stay in view, but can't be imported.
    assert "20 of 30 sentences" in html
    assert "Import 30 sentences" not in html


def test_page_of_a_preview_is_small_whatever_the_file_contains(office, project):
    text = upload(office, project, ("run " * 1900 + ".\n").encode() * 30)
    assert text.context["read"].shown[0].headlines[-1].startswith("and ")
    assert len(text.content) < 300_000
    header = ",".join(["text", *(f"c{at}" for at in range(900))])
    row = ",".join(["He ran ."] * 901)
    wide = upload(office, project, f"{header}\n{row}\n".encode(), "wide.csv")
    assert len(wide.content) < 1_000_000
    long = upload(office, project, f"text,{'c' * 100_000}\nHe ran .,1\n".encode(), "long.csv")
    assert "has a column name of more than 200 characters." in long.content.decode()
    assert len(long.content) < 100_000


def test_check_of_another_reading_is_given_up(office, project):
    form = {"corpus": SimpleUploadedFile("news.txt", b"The dog sold bread .\n")}
    page = office.post(reverse("annotation:corpus", args=["news"]), form, follow=True)
    address = page.redirect_chain[-1][0]
    office.post(f"{address}?read", {"encoding": "utf-16"})
    first, second = Job.objects.filter(kind="corpus-check").order_by("pk")
    assert (first.state, second.state) == ("cancelled", "queued")
    office.post(address, {"discard": "1"})
    run_jobs()
    second.refresh_from_db()
    assert second.state == "cancelled"


def test_page_has_the_check_that_completes_the_parameters_meanwhile(office, project):
    form = {"corpus": SimpleUploadedFile("news.csv", b"text\nThe dog sold bread .\n")}
    office.post(reverse("annotation:corpus", args=["news"]), form)
    opened = Job.objects.get(kind="import")
    run_jobs()
    check = check_of(kind="corpus-check", upload=opened)
    assert check is not None
    assert check.state == "finished"
    assert opened.parameters["format"] == "table"


def test_failed_check_says_so_and_can_be_repeated(office, project, monkeypatch):
    def run_out(*arguments, **options):
        raise MemoryError

    page = reverse("annotation:corpus", args=["news"])
    form = {"corpus": SimpleUploadedFile("news.txt", b"The dog sold bread .\n")}
    address = office.post(page, form, follow=True).redirect_chain[-1][0]
    with monkeypatch.context() as patch:
        patch.setattr("annotation.domain.corpus.preview_corpus.open_upload", run_out)
        with pytest.raises(MemoryError):
            run_jobs()
    html = office.get(address).content.decode()
    assert "The file was not read. The worker process ran out of memory." in html
    again = read_again(office, address, {"encoding": "utf-8"})
    assert "Import 1 sentence" in again.content.decode()


def test_page_says_that_no_worker_process_runs(office, project):
    beat = Heartbeat.objects.create(queue="jobs", at=timezone.now())
    form = {"corpus": SimpleUploadedFile("news.txt", b"The dog sold bread .\n")}
    page = office.post(reverse("annotation:corpus", args=["news"]), form, follow=True)
    message = "No worker process is running on this site"
    assert message not in page.content.decode()
    Heartbeat.objects.filter(pk=beat.pk).update(at=timezone.now() - timedelta(hours=1))
    address = page.redirect_chain[-1][0]
    assert message in office.get(address).content.decode()
    run_jobs()
    assert message not in office.get(address).content.decode()


@pytest.mark.parametrize("scheme", sorted(name for name in SCHEMES if SCHEMES[name].sample))
def test_sample_corpus_of_each_scheme_can_be_imported(client, job_files, scheme):
    project = create_project(slug="sample", scheme=scheme, now=NOW)
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    sample = reverse("annotation:corpus_sample", args=[project.slug])
    page = preview_of(client, client.post(sample, follow=True))
    read = page.context["read"]
    assert (read.problem, read.errors) == ("", [])
    client.post(page.redirect_chain[-1][0])
    run_jobs()
    assert (project.sentences.count(), project.items.count()) == (read.sentences, read.items)
    assert current_versions(project).count() == len(SCHEMES[scheme].resources)


def test_refused_row_with_the_id_of_another_one_is_skipped(office, project):
    content = b"id,text\n1,Mary left .\n1,Ann ate .\n1,Mary left .\n"
    read = upload(office, project, content, "t.csv").context["read"]
    assert [(row.note, bool(row.headlines)) for row in read.shown] == [
        ("", True),
        ("skipped", False),
        ("", True),
    ]
