"""Runs on unpublished items, local commands, limits of requests, and the cost in the ledger."""

import json
import sys
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.urls import reverse

from consolidation.models import SystemAnnotation
from crowd.enums import LedgerKind
from crowd.models import Budget, LedgerEntry
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from model_annotators.domain import annotate as annotate_module
from model_annotators.domain.register import ModelNameTakenError, ModelPlan, register_model
from model_annotators.domain.run_model import RunError, queue_run, run_model
from model_annotators.models import ModelAnswer
from projects.command import InputError
from projects.enums import MemberRole
from tests.consolidation.factories import (
    IDENTIFIED,
    SHORT_NAME,
    SURVEY,
    make_item,
    make_project,
    source,
)
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.fakes.chat_server import Reply, chat_server
from tests.model_annotators.factories import make_model

pytestmark = pytest.mark.django_db
ANSWER = json.dumps(source(SURVEY, ("Who identified something?", [SHORT_NAME])))


@pytest.fixture
def project():
    project = make_project()
    for _ in range(3):
        make_item(SURVEY, IDENTIFIED, project)
    return project


def register(project, settings, server, **options):
    settings.MODEL_HOSTS = [server.host]
    plan = {"name": "qwen", "url": server.url, "model": "m", "cap_cents": 1000} | options
    return register_model(project=project, plan=ModelPlan(**plan), actor="tests", now=NOW)


def run(annotator, count=3):
    return run_model(annotator=annotator, count=count, progress=lambda done, total: None)


def test_run_annotates_the_next_unpublished_items(project, settings):
    with chat_server(lambda request: Reply(ANSWER)) as server:
        annotator = register(project, settings, server)
        job = queue_run(annotator=annotator, count=2, actor="tests", now=NOW)
        run_next_job(clock=lambda: NOW)
        job.refresh_from_db()
        assert (job.state, job.result) == (JobState.FINISHED, {"items": 2, "answered": 2})
        assert run(annotator) == 3
        assert len(server.requests) == 3  # two answers were there already
    rows = SystemAnnotation.objects.order_by("item__position")
    assert [row.item for row in rows] == list(project.items.order_by("position"))
    assert {row.system for row in rows} == {"qwen"}
    assert rows[0].content == ModelAnswer.objects.first().content


def test_refused_answers_become_no_annotation(project, settings):
    with chat_server(lambda request: Reply('{"questions": 1}')) as server:
        assert run(register(project, settings, server), count=1) == 0
    assert not SystemAnnotation.objects.exists()
    assert ModelAnswer.objects.count() == 3


def test_cost_is_in_the_ledger_once_and_not_in_the_budget(project, settings):
    prices = {"input_price_cents": Decimal(1000), "output_price_cents": Decimal(0)}
    before = Budget.objects.values_list("reserved_cents", "spent_cents").get(project=project)
    with chat_server(lambda request: Reply(ANSWER, input_tokens=1500)) as server:
        annotator = register(project, settings, server, **prices)
        run(annotator, count=1)  # 1.5 cents
        run(annotator, count=1)
        run(annotator, count=3)  # 4.5 cents in all
    entries = LedgerEntry.objects.filter(kind=LedgerKind.MODEL).order_by("pk")
    assert [entry.amount_cents for entry in entries] == [2, 3]
    assert {entry.hit for entry in entries} == {None}
    assert (
        Budget.objects.values_list("reserved_cents", "spent_cents").get(project=project) == before
    )


def test_cost_of_a_run_that_fails_is_booked(project, settings):
    replies = iter([Reply(ANSWER, input_tokens=1_000_000), Reply(status=500)])
    with chat_server(lambda request: next(replies)) as server:
        annotator = register(project, settings, server, input_price_cents=Decimal(100))
        job = queue_run(annotator=annotator, count=3, actor="tests", now=NOW)
        run_next_job(clock=lambda: NOW)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert LedgerEntry.objects.get(kind=LedgerKind.MODEL).amount_cents == 100


def test_ledger_pages_show_the_cost_of_models(project, settings, client):
    with chat_server(lambda request: Reply(ANSWER, input_tokens=1_000_000)) as server:
        run(register(project, settings, server, input_price_cents=Decimal(250)), count=1)
    client.force_login(make_user("adam", project, MemberRole.ADMIN))
    page = client.get(reverse("datasets:ledger", args=[project.slug])).content.decode()
    assert "annotations by a model" in page
    assert "$2.50" in page
    table = client.get(reverse("datasets:ledger_csv", args=[project.slug]))
    assert ",model,,,2.50,0.00,,," in b"".join(table.streaming_content).decode()


def test_command_reads_the_request_and_writes_the_annotation(project, tmp_path):
    program = tmp_path / "model.py"
    program.write_text(
        "import json, sys\n"
        "request = json.load(sys.stdin)\n"
        "assert request['messages'][0]['role'] == 'system'\n"
        f"sys.stdout.write({ANSWER!r})\n"
    )
    command = f"{sys.executable} {program}"
    options = {"name": "local", "command": command, "model": "rules", "cap": "0"}
    call_command("register_model", project.slug, **options)
    call_command("run_model", project.slug, "local", count=2)
    assert SystemAnnotation.objects.filter(system="local").count() == 2


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("no-such-program-here", "can't be run"),
        (f'{sys.executable} -c "raise SystemExit(3)"', "ended with status 3"),
        ("a 'quote", "can't be run"),
    ],
)
def test_broken_commands_say_what_is_wrong(project, command, problem):
    annotator = make_model(project, url="", command=command)
    job = queue_run(annotator=annotator, count=1, actor="tests", now=NOW)
    run_next_job(clock=lambda: NOW)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert problem in job.problem


def test_page_can_not_register_a_command(project, client):
    client.force_login(make_user("adam", project, MemberRole.ADMIN))
    data = {"name": "x", "command": "true", "model": "m", "cap": "1", "temperature": "0"}
    data |= {"examples": "1", "input_price": "0", "output_price": "0", "requests_per_minute": "0"}
    answer = client.post(reverse("model_annotators:models", args=[project.slug]), data)
    assert answer.status_code == 422
    assert not project.model_annotators.exists()


def test_requests_wait_for_their_turn(project, settings, monkeypatch):
    waits = []
    monkeypatch.setattr(annotate_module.time, "sleep", waits.append)
    with chat_server(lambda request: Reply(ANSWER)) as server:
        run(register(project, settings, server, requests_per_minute=30))
    assert len(waits) == 2
    assert all(0 < wait <= 2 for wait in waits)


def test_names_of_models_and_predictions_differ(project, settings, tmp_path):
    item = project.items.first()
    SystemAnnotation.objects.create(
        item=item, system="qwen", content={}, schema_version=1, imported_at=NOW
    )
    with chat_server(lambda request: Reply(ANSWER)) as server:
        with pytest.raises(ModelNameTakenError, match="imported predictions called qwen"):
            register(project, settings, server)
        register(project, settings, server, name="other")
    path = tmp_path / "gold.jsonl"
    path.write_text("{}\n")
    with pytest.raises(InputError, match="other is a registered model"):
        call_command("import_system", project.slug, path, system="other", format="jsonl")


def test_retired_models_and_empty_corpora_are_refused(project):
    annotator = make_model(make_project())
    with pytest.raises(RunError, match="No item is left"):
        queue_run(annotator=annotator, count=1, actor="tests", now=NOW)


def test_page_starts_a_run_on_unpublished_items(project, client):
    annotator = make_model(project)
    client.force_login(make_user("adam", project, MemberRole.ADMIN))
    url = reverse("model_annotators:model", args=[project.slug, annotator.pk])
    assert client.post(url, {}).status_code == 422
    assert client.post(url, {"count": "2"}).status_code == 302
    assert b"Run of Qwen 3" in client.get(url).content
