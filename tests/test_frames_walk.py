"""A project of the frames scheme from its files to exported records, and every page of it."""

import re

import pytest
from django.test import Client

from annotation.domain.item_context import context_of
from annotation.domain.publish import publish_batch
from annotation.models import Task
from consolidation.models import Case, Gold
from consolidation.protocols import PROTOCOLS
from projects.enums import MemberRole
from projects.models import Project
from projects.permissions import page_rules
from schemes.base import Json
from schemes.frames.scheme import SCHEME
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.frames.corpus_files import CorpusFiles, write_corpus
from tests.test_labels_walk import GENERAL_TEXT, addresses, run, submit, sweep

pytestmark = pytest.mark.django_db
RECORDS = 4
SAMPLE = SCHEME.sample
# Words of QA-SRL. "Verb" is a word of both schemes.
FOREIGN = re.compile(
    r"(?<![A-Za-z])(qa-?srl|questions?|propbank|predicates?|UA|LA)(?![A-Za-z])", re.IGNORECASE
)


@pytest.fixture
def files(tmp_path) -> CorpusFiles:
    return write_corpus(tmp_path, records=RECORDS)


@pytest.fixture(params=["consolidation", "verification"])
def project(request, files) -> Project:
    run("create_project", "books", "--scheme", "frames", "--protocol", request.param)
    run("import_lexicon", "books", SAMPLE.resources["lexicon"][1], "--format", "json")
    corpus = ("--format", "conllu", "--items", *files.records)
    run("import_corpus", "books", files.sentences, *corpus)
    gold = (*files.records, files.confidence, "--format", "semeval", "--source", "expert")
    run("import_gold", "books", *gold)
    project = Project.objects.get(slug="books")
    publish_batch(project=project, now=NOW)
    for task in Task.objects.filter(role="generator"):
        for _ in range(project.generators_per_item):
            submit(task, make_worker(), record_of(task))
    sweep()
    role = PROTOCOLS[request.param].role
    for task in Task.objects.filter(role=role):
        for _ in range(project.redundancy(role)):
            submit(task, make_worker(), judgment_of(task))
    sweep()
    return project


def reference_of(task: Task) -> Json:
    return Gold.objects.get(item=task.items.get(), source="expert").content


def record_of(task: Task) -> Json:
    return SCHEME.simulation.generate(reference_of(task), context_of(task.items.get()), 1.0, "a")


def judgment_of(task: Task) -> Json:
    reference, simulation = reference_of(task), SCHEME.simulation
    if task.role == "consolidator":
        return simulation.consolidate(reference, [reference, reference], 1.0, "a")
    asked = SCHEME.validating.asked([reference])
    return simulation.validate(reference, asked, context_of(task.items.get()), 1.0, "a")


def test_exported_records_are_those_that_were_imported(project, files, tmp_path):
    assert {case.state for case in Case.objects.all()} == {PROTOCOLS[project.protocol].settled}
    run("export_gold", "books", "--format", "semeval", "--out", tmp_path / "gold")
    written = {
        "task-a": files.task_a,
        "task-b1": files.task_b1,
        "task-b2": files.task_b2,
        "confidence": files.confidence,
    }
    for name, imported in written.items():
        exported = tmp_path / "gold" / f"books.all.{name}.txt"
        assert set(exported.read_text().splitlines()) == set(imported.read_text().splitlines())
    run("export_gold", "books", "--format", "jsonl", "--out", tmp_path / "lines")
    assert '"judgments"' in (tmp_path / "lines" / "books.all.gold.jsonl").read_text()


def test_every_page_opens_and_names_no_other_scheme(project):
    client = Client()
    client.force_login(make_user("ada", project, *MemberRole))
    visited = {}
    for name in page_rules():
        for address in addresses(name, project):
            response = client.get(address)
            if response.status_code == 405:  # an action without a page
                continue
            assert response.status_code in (200, 302), address
            text = b"".join(response) if response.streaming else response.content
            visited[address] = FOREIGN.findall(GENERAL_TEXT.sub("", text.decode(errors="replace")))
    assert len(visited) >= 40
    assert {address: words for address, words in visited.items() if words} == {}
