"""A project of the labels scheme from its corpus to exported gold, under each protocol."""

import csv
import json

import pytest
from django.test import Client

from annotation.domain.publishing.publish import publish_batch
from annotation.models import Submission, Task
from consolidation.models import Case
from consolidation.protocols import PROTOCOLS
from projects.enums import MemberRole
from projects.models import Project
from schemes.registry import SCHEMES
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.labels.scheme import SCHEME
from tests.test_scheme_words import places_in
from tests.walk import api_addresses, project_addresses, read_pages, run, submit, sweep

pytestmark = pytest.mark.django_db
TEXTS = {"s0": ("A fine day", "positive"), "s1": ("It rained again", "negative")}


@pytest.fixture(autouse=True)
def _registered(monkeypatch) -> None:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)


@pytest.fixture(params=["consolidation", "validation", "verification"])
def project(request, tmp_path) -> Project:
    """Return a project whose items were imported, published, annotated and judged."""
    corpus = tmp_path / "corpus.csv"
    with corpus.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "text", "label"))
        writer.writerows((key, text, label) for key, (text, label) in TEXTS.items())
    run("create_project", "moods", "--scheme", "labels", "--protocol", request.param)
    run("import_corpus", "moods", corpus, "--format", "labels-csv")
    run("import_gold", "moods", corpus, "--format", "labels-csv", "--source", "expert")
    project = Project.objects.get(slug="moods")
    publish_batch(project=project, now=NOW)
    for task in Task.objects.filter(role="generator"):
        for _ in range(project.generators_per_item):
            submit(task, make_worker(), {"label": label_of(task)})
    sweep()
    role = PROTOCOLS[request.param].role
    if request.param == "verification":
        dispute_first_item()
    answers = {"consolidator": lambda task: {"label": label_of(task)}, "validator": accept}
    for task in Task.objects.filter(role=role, hit__assignments=None):
        for _ in range(project.redundancy(role)):
            submit(task, make_worker(), answers[role](task))
    sweep()
    return project


def dispute_first_item() -> None:
    """Dispute the label of the first item, which its author then revises."""
    task = Task.objects.filter(role="validator").earliest("pk")
    for _ in range(2):
        submit(task, make_worker(), {"valid": False})
    sweep()
    revision = Task.objects.get(role="reviser")
    author = Submission.objects.get(item=revision.items.get(), role="generator").worker
    submit(revision, author, {"label": label_of(revision)})
    sweep()


def label_of(task: Task) -> str:
    return TEXTS[task.items.get().sentence.external_id][1]


def accept(task: Task) -> dict[str, bool]:
    return {"valid": True}


def test_gold_equals_the_agreed_labels(project, tmp_path):
    assert {case.state for case in Case.objects.all()} == {PROTOCOLS[project.protocol].settled}
    run("export_gold", "moods", "--format", "labels-csv", "--out", tmp_path / "gold")
    with (tmp_path / "gold" / "moods.all.gold.csv").open(newline="") as file:
        rows = {row["id"]: (row["text"], row["label"]) for row in csv.DictReader(file)}
    assert rows == TEXTS
    figures = json.loads(run("quality", "moods", "--against", "expert", "--json"))
    assert [row["accuracy"]["value"] for row in figures["rows"]] == [1, 1, 1]


def test_every_page_opens_and_names_no_other_scheme(project):
    client = Client()
    client.force_login(make_user("ada", project, *MemberRole))
    pages = read_pages(client, [*project_addresses(project), *api_addresses(project)])
    assert len(pages) >= 50
    words_by_address = {address: places_in(text) for address, text in pages.items()}
    assert {address: words for address, words in words_by_address.items() if words} == {}
