"""Each use of a model in each scheme: good answers help, and nothing that the parser refuses is used."""

import json
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.arms import ArmPlan
from annotation.domain.publishing.publish import publish_batch
from annotation.enums import SubmissionState
from annotation.models import ItemArm, Submission, TaskItem
from consolidation.domain.case_records import sources_of
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.models import Case, Gold, SystemAnnotation
from crowd.enums import HitState
from crowd.models import Hit, Payment
from model_annotators.domain.register import ModelPlan, register_model
from model_annotators.domain.run_model import run_model
from model_annotators.models import ModelAnswer
from projects.domain.schemes import scheme_of
from projects.enums import Role
from schemes.simulated_person import Person
from tests.annotation.page_data import page_data
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.fakes.chat_server import Reply, chat_server
from tests.model_annotators.test_schemes import project_of
from tests.signed import signed

pytestmark = pytest.mark.django_db
SCHEMES = ["qasrl", "frames", "grounding", "custom"]
SCRIPT = "<script>alert(1)</script>"
# What a model writes that was talked into something by the text, or that is broken.
HOSTILE = [
    "I will pay everybody a bonus of $100 now.",
    json.dumps({"questions": [{"question": SCRIPT, "answers": [[0, 1]]}], "worker": "W1"}),
    json.dumps({"answers": {SCRIPT: SCRIPT}}),
    "[" * 100_000,
    json.dumps({"frame": SCRIPT, "arguments": [{"head": [10**9], "element": SCRIPT}]}),
    '{"phrases": NaN}',
    json.dumps(None),
]


@pytest.fixture(params=SCHEMES)
def project(request, tmp_path):
    project = project_of(request.param, tmp_path)
    project.protocol, project.generators_per_item = "consolidation", 2
    project.save(update_fields=["protocol", "generators_per_item"])
    return project


def first_item(project):
    return (
        project.items.select_related("sentence__image")
        .filter(in_production=True)
        .earliest("position")
    )


def written_by_a_person(item):
    """Return content that fits the item: what a perfect annotator writes."""
    scheme = scheme_of(item.project)
    gold = Gold.objects.get(item=item).content
    return scheme.get_simulation().generate(gold, context_of(item), Person(1.0), "person")


def run(project, settings, answer):
    with chat_server(answer) as server:
        settings.MODEL_HOSTS = [server.host]
        plan = ModelPlan(name="model", url=server.url, model="m", cap_cents=0, examples=0)
        annotator = register_model(project=project, plan=plan, actor="tests", now=NOW)
        return run_model(annotator=annotator, count=1, progress=lambda done, total: None)


def publish(project, use):
    publish_batch(
        project=project,
        arms=[ArmPlan(100, system="model", use=use)],
        assists_test_items=True,
        limit=1,
        now=NOW,
    )
    for hit in Hit.objects.filter(state=HitState.PENDING):
        hit.state, hit.external_id = HitState.LIVE, f"HIT{hit.pk}"
        hit.save()


def page_of(client, view, role):
    task = TaskItem.objects.filter(role=role).latest("pk").task
    claim = {"assignmentId": "A1", "hitId": "H1", "workerId": "W1"}
    query = urlencode({**claim, "turkSubmitTo": "http://127.0.0.1:8000"})
    response = client.get(signed(f"{reverse(view, args=[task.public_id])}?{query}"))
    assert response.status_code == 200, response.content.decode()
    return page_data(response.content.decode())


def annotate(item, content):
    worker = make_worker()
    Submission.objects.create(
        item=item,
        role=Role.GENERATOR,
        worker=worker,
        assignment=make_assignment(worker=worker),
        content=scheme_of(item.project).content.parse_generation(content, context_of(item)),
        schema_version=1,
        state=SubmissionState.ACCEPTED,
        opened_at=NOW,
        submitted_at=NOW,
    )


def test_generators_edit_what_the_model_wrote(project, settings, client):
    item = first_item(project)
    content = written_by_a_person(item)
    assert run(project, settings, lambda request: Reply(json.dumps(content))) == 1
    publish(project, "pre-annotation")
    stored = SystemAnnotation.objects.get().content
    assert page_of(client, "annotation:generate", Role.GENERATOR)["items"][0]["content"] == stored
    assert not Submission.objects.exists()


@pytest.mark.parametrize("use", ["annotator", "source", "shown-source"])
def test_consolidators_get_the_model_among_the_sources(project, settings, client, use):
    item = first_item(project)
    content = written_by_a_person(item)
    assert run(project, settings, lambda request: Reply(json.dumps(content))) == 1
    publish(project, use)
    for _ in range(1 if use == "annotator" else 2):
        assert open_due_cases(clock=lambda: NOW) == 0
        annotate(item, content)
    assert open_due_cases(clock=lambda: NOW) == publish_open_cases(clock=lambda: NOW) == 1
    for hit in Hit.objects.filter(state=HitState.PENDING):
        hit.state, hit.external_id = HitState.LIVE, f"HIT{hit.pk}"
        hit.save()
    case = Case.objects.get()
    model = case.sources.get(submission__role=Role.MODEL)
    assert sources_of(case)[model.position] == SystemAnnotation.objects.get().content
    page = page_of(client, "consolidation:consolidate", Role.CONSOLIDATOR)
    assert len(page["items"][0]["sources"]) == (2 if use == "annotator" else 3)
    assert "model" not in json.dumps(page["items"][0]["sources"])
    assert not Payment.objects.filter(assignment=None).exists()


@pytest.mark.parametrize("answer", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_that_the_parser_refuses_is_used(project, settings, client, answer):
    assert run(project, settings, lambda request: Reply(answer)) == 0
    assert (
        ModelAnswer.objects.filter(content__isnull=True).count() == ModelAnswer.objects.count() == 3
    )
    assert not SystemAnnotation.objects.exists()
    # The batch can't use a model without an accepted answer, and one that has some skips this item.
    other = project.items.exclude(pk=first_item(project).pk).earliest("position")
    SystemAnnotation.objects.create(
        item=other, system="model", content={}, schema_version=1, imported_at=NOW
    )
    publish(project, "pre-annotation")
    assert ItemArm.objects.get().content is None
    page = page_of(client, "annotation:generate", Role.GENERATOR)
    assert page["items"][0]["content"] is None
    assert SCRIPT not in json.dumps(page)
    assert not Submission.objects.exists()
    assert not Payment.objects.exists()
