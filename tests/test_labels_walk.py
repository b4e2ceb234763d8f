"""A project of the labels scheme from its corpus to exported gold, under each protocol."""

import csv
import json
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import NoReverseMatch, reverse

from annotation.domain.publish import publish_batch
from annotation.domain.record_generations import record_new_generations
from annotation.models import Draft, Submission, Task
from consolidation.domain.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.record_work import record_new_case_work
from consolidation.domain.revise import accept_due_revisions, publish_due_revisions
from consolidation.models import Case
from consolidation.protocols import PROTOCOLS
from crowd.models import Assignment, Worker
from projects.enums import MemberRole
from projects.models import Project
from projects.permissions import page_rules
from schemes.registry import SCHEMES
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.labels.scheme import SCHEME
from tests.test_scheme_words import places_in

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=5)
TEXTS = {"s0": ("A fine day", "positive"), "s1": ("It rained again", "negative")}
# What MTurk and the marketplace call a task's page is no word of a scheme.
# Also left out: CSRF tokens, whose random letters can spell a word.
GENERAL_TEXT = re.compile(r"<style.*?</style>|<script.*?</script>|\b[A-Za-z0-9]{64}\b", re.DOTALL)


@pytest.fixture(autouse=True)
def _registered(monkeypatch) -> None:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)


@pytest.fixture(params=["consolidation", "validation", "verification"])
def project(request, tmp_path) -> Project:
    """A project whose items were imported, published, annotated and judged."""
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


def run(*words: object) -> str:
    out = StringIO()
    call_command(*map(str, words), stdout=out, stderr=out)
    return out.getvalue()


def label_of(task: Task) -> str:
    return TEXTS[task.items.get().sentence.external_id][1]


def accept(task: Task) -> dict[str, bool]:
    return {"valid": True}


def submit(task: Task, worker: Worker, content: dict[str, object]) -> None:
    contents = {str(task.items.get().pk): content}
    assignment = Assignment.objects.create(
        hit=task.hit,
        worker=worker,
        external_id=f"A-{task.pk}-{worker.pk}",
        accepted_at=NOW,
        submitted_at=LATER,
        answer={"content": json.dumps(contents)},
    )
    Draft.objects.create(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=worker.external_id,
        content=contents,
        opened_at=NOW,
        saved_at=NOW,
        active_seconds=20,
    )


def sweep() -> None:
    record_new_generations(clock=lambda: LATER)
    open_due_cases(clock=lambda: LATER)
    publish_open_cases(clock=lambda: LATER)
    record_new_case_work(clock=lambda: LATER)
    accept_due_revisions(clock=lambda: LATER)
    for protocol in PROTOCOLS.values():
        protocol.write_due_gold(clock=lambda: LATER)
    publish_open_cases(clock=lambda: LATER)
    publish_due_revisions(clock=lambda: LATER)


def test_gold_is_what_people_agreed_on(project, tmp_path):
    assert {case.state for case in Case.objects.all()} == {PROTOCOLS[project.protocol].settled}
    run("export_gold", "moods", "--format", "labels-csv", "--out", tmp_path / "gold")
    with (tmp_path / "gold" / "moods.all.gold.csv").open(newline="") as file:
        rows = {row["id"]: (row["text"], row["label"]) for row in csv.DictReader(file)}
    assert rows == TEXTS
    figures = json.loads(run("quality", "moods", "--against", "expert", "--json"))
    assert [row["accuracy"]["value"] for row in figures["rows"]] == [1, 1, 1]


def test_every_page_opens_and_names_no_other_scheme(project):
    client = Client()
    admin = make_user("ada", project, *MemberRole)
    client.force_login(admin)
    visited = {}
    for name in page_rules():
        for address in addresses(name, project):
            response = client.get(address)
            if response.status_code == 405:  # an action without a page
                continue
            assert response.status_code in (200, 302), address
            text = b"".join(response) if response.streaming else response.content
            visited[address] = places_in(GENERAL_TEXT.sub("", text.decode(errors="replace")))
    assert len(visited) >= 40
    assert {address: words for address, words in visited.items() if words} == {}


def addresses(name: str, project: Project) -> list[str]:
    """Return the address of a page of the project or of one of its objects, if it has one."""
    item = project.items.order_by("pk").first()
    assert item
    worker = Worker.objects.order_by("pk").first()
    assert worker
    batch = project.batches.order_by("-pk").first()
    assert batch
    objects = {
        "item": item.pk,
        "quality_item": item.pk,
        "gold_sentence": item.sentence_id,
        "batch": batch.pk,
        "manage_batch": batch.pk,
        "worker": worker.pseudonym,
        "compensate": worker.pseudonym,
    }
    plain = name.rpartition(":")[2]
    arguments = [project.slug, *([objects[plain]] if plain in objects else [])]
    try:
        address = reverse(name, args=arguments)
    except NoReverseMatch:
        return []
    return [address] if address.startswith(f"/projects/{project.slug}/") else []
