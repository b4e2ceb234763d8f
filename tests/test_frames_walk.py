"""A project of the frames scheme from its files to exported records, with all its pages."""

import json
import re
from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse

from consolidation.models import Case
from consolidation.protocols import PROTOCOLS
from jobs.tasks import run_jobs
from projects.enums import MemberRole
from projects.models import Project
from qualification.models import Enrolment
from schemes.contract.values import Json
from schemes.frames.comparison import FRAME_KEY
from schemes.frames.scheme import SCHEME
from tests.dashboard.campaign import make_user
from tests.schemes.frames.corpus_files import CorpusFiles, write_corpus
from tests.schemes.frames.framenet_reader import read_release
from tests.walk import (
    annotate,
    api_addresses,
    generation_of,
    project_addresses,
    read_pages,
    run,
    train,
    training_addresses,
)

pytestmark = pytest.mark.django_db
RECORDS = 4
SAMPLE = SCHEME.sample
# Words of QA-SRL. Both schemes use "verb".
FOREIGN = re.compile(
    r"(?<![A-Za-z])(qa-?srl|questions?|propbank|predicates?|UA|LA)(?![A-Za-z])", re.IGNORECASE
)


@pytest.fixture
def files(tmp_path) -> CorpusFiles:
    return write_corpus(tmp_path, records=RECORDS)


@pytest.fixture(params=["consolidation", "verification"])
def project(request, files) -> Project:
    import_project(request.param, files)
    project = Project.objects.get(slug="books")
    annotate(project)
    return project


def import_project(protocol: str, files: CorpusFiles) -> None:
    run("create_project", "books", "--scheme", "frames", "--protocol", protocol)
    run("import_lexicon", "books", SAMPLE.resources["lexicon"][1], "--format", "json")
    corpus = ("--format", "conllu", "--items", *files.records)
    run("import_corpus", "books", files.sentences, *corpus)
    gold = (*files.records, files.confidence, "--format", "semeval", "--source", "expert")
    run("import_gold", "books", *gold)


def test_exported_records_equal_the_imported_ones(project, files, tmp_path):
    assert {case.state for case in Case.objects.all()} == {PROTOCOLS[project.protocol].settled}
    run("export_gold", "books", "--format", "semeval", "--out", tmp_path / "gold")
    paths = {
        "task-a": files.task_a,
        "task-b1": files.task_b1,
        "task-b2": files.task_b2,
        "confidence": files.confidence,
    }
    for name, imported in paths.items():
        exported = tmp_path / "gold" / f"books.all.{name}.txt"
        assert set(exported.read_text().splitlines()) == set(imported.read_text().splitlines())
    run("export_gold", "books", "--format", "jsonl", "--out", tmp_path / "lines")
    assert '"judgments"' in (tmp_path / "lines" / "books.all.gold.jsonl").read_text()


def test_fulltext_has_the_frames_and_elements_of_the_records(project, files, tmp_path):
    run("export_gold", "books", "--format", "framenet", "--out", tmp_path / "gold")
    sentences = read_release(tmp_path / "gold" / "books.all")
    annotations = [annotation for sentence in sentences for annotation in sentence.annotations]
    frames = Counter(annotation.frame for annotation in annotations)
    assert frames == Counter(
        line.rpartition(".")[2] for line in files.task_a.read_text().splitlines()
    )
    labels = [label for annotation in annotations for label in annotation.texts("FE")]
    arguments = re.findall(r"-:-\d[\d_]*-:-(\w+)", files.task_b1.read_text())
    assert Counter(name for name, _ in labels) == Counter(arguments)
    assert {text.split()[0] for name, text in labels if name in ("Seller", "Donor")} <= {"The"}
    manifest = json.loads((tmp_path / "gold" / "manifest.json").read_text())
    assert manifest["folders"]["books.all"]["annotation_sets"] == RECORDS


def test_fulltext_is_exported_through_the_page_and_the_api(project):
    client = Client()
    client.force_login(make_user("ada", project, *MemberRole))
    page = client.get(reverse("datasets:exports", args=[project.slug])).content.decode()
    assert 'value="framenet"' in page
    source = PROTOCOLS[project.protocol].gold_source
    body = json.dumps({"format": "framenet", "source": source})
    address = reverse("api:exports", args=[project.slug])
    response = client.post(address, body, content_type="application/json")
    run_jobs()
    export = client.get(response.headers["Location"]).json()
    names = {file["name"] for file in export["files"]}
    assert {f"books.all/{name}" for name in ("fulltextIndex.xml", "sentences.csv")} <= names
    assert (export["state"], export["items"]) == ("finished", RECORDS)


def test_every_page_opens_and_names_no_other_scheme(project):
    client = Client()
    client.force_login(make_user("ada", project, *MemberRole))
    pages = read_pages(client, [*project_addresses(project), *api_addresses(project)])
    assert len(pages) >= 50
    assert foreign_words(pages) == {}


def test_training_pages_name_no_other_scheme(files):
    import_project("consolidation", files)
    project = Project.objects.get(slug="books")
    keys = list(project.items.order_by("pk").values_list("key", flat=True))
    enrolment = train(project, keys, lambda task: generation_of(task, skill=0.6))
    client = Client()
    client.force_login(make_user("ada", project, *MemberRole))
    pages = read_pages(client, [*training_addresses(enrolment), *api_addresses(project)])
    assert foreign_words(pages) == {}
    desk = pages[training_addresses(enrolment)[2]]
    assert SCHEME.comparison.figures[0].label in desk
    # The row of the frame can't be paired with a missed argument.
    assert "Accept as a match" in desk
    assert f'<option value="{FRAME_KEY}">' not in desk
    assert any(row["state"] != "found" for row in rows_of(enrolment))


def rows_of(enrolment: Enrolment) -> list[Json]:
    evaluation = enrolment.evaluations.latest("pk")
    return [row for entry in evaluation.alignment for row in entry["rows"]]


def foreign_words(pages: dict[str, str]) -> dict[str, list[str]]:
    words_by_address = {address: FOREIGN.findall(text) for address, text in pages.items()}
    return {address: names for address, names in words_by_address.items() if names}
