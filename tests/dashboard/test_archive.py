"""Tests of archived and deleted projects and rehearsals."""

import pytest
from django.db import models
from django.test import Client
from django.urls import reverse

from annotation.models import Item, Sentence
from audit.models import StateChange
from consolidation.models import Gold
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Assignment, Budget, Hit, LedgerEntry, Payment, Worker
from dashboard.delete_project import owned_rows
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.create_project import ProjectExistsError
from projects.enums import MemberRole
from projects.models import ApiToken, Project
from tests.dashboard.campaign import START, Campaign, make_project, make_user
from tests.dashboard.test_permissions import rehearsed
from tests.jobs.factories import make_import

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(job_files) -> Project:
    return make_project("news")


@pytest.fixture
def admin(project) -> Client:
    client = Client()
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    return client


def url(name: str, *arguments: object, slug: str = "news") -> str:
    return reverse(f"dashboard:{name}", args=[slug, *arguments])


def settle(project: Project) -> None:
    """Finish all work of a campaign as workers and the marketplace would."""
    Hit.objects.filter(budget=project.budget).update(state=HitState.FINISHED, sync_due_at=None)
    Assignment.objects.filter(state=AssignmentState.SUBMITTED).update(
        state=AssignmentState.APPROVED, decided_at=START
    )
    Payment.objects.update(state=PaymentState.CONFIRMED, confirmed_at=START)


def post(client: Client, name: str, **data: str) -> str:
    return client.post(url(name), data, follow=True).content.decode()


def test_archived_project_is_read_only_and_not_listed(admin, project):
    assert "is archived and can only be read" in post(admin, "archive")
    project.refresh_from_db()
    assert project.archived_at
    page = admin.get("/").content.decode()
    assert "Project news" not in page.split("is archived")[-1]
    assert "Archived (1)" in page
    assert "Project news" in admin.get("/?archived").content.decode()
    settings = reverse("projects:settings", args=["news"])
    assert admin.get(settings).status_code == 200
    response = admin.post(settings, {"title": "Other"}, follow=True)
    assert "The project is archived, so nothing was changed" in response.content.decode()
    project.refresh_from_db()
    assert project.title == "Project news"
    assert "can be changed again" in post(admin, "unarchive")
    project.refresh_from_db()
    assert project.archived_at is None
    changes = StateChange.objects.filter(aggregate="projects.Project", object_id=project.pk)
    assert list(changes.order_by("pk").values_list("old", "new", "actor")) == [
        ("active", "archived", "ada"),
        ("archived", "active", "ada"),
    ]


def test_api_changes_nothing_in_an_archived_project(admin, project):
    post(admin, "archive")
    address = reverse("api:exports", args=["news"])
    response = admin.post(address, {"format": "jsonl"}, content_type="application/json")
    assert (response.status_code, response.json()["errors"][0]["code"]) == (403, "project_archived")
    assert admin.get(address).status_code == 200


@pytest.mark.parametrize("name", ["archive", "delete_project"])
def test_project_with_open_hits_or_debts_is_refused_with_the_reasons(admin, project, name):
    Campaign(project, 8)
    make_import(project)
    page = post(admin, name, title="Project news")
    assert "The project was not" in page
    for sentence in (
        "End their batches first",
        "Accept or reject the work first",
        "job is running",
    ):
        assert sentence in page
    project.refresh_from_db()
    assert project.archived_at is project.deleted_at is None


def test_unpaid_worker_keeps_a_project_open(admin, project):
    Campaign(project, 8)
    settle(project)
    payment = Payment.objects.first()
    assert payment
    Payment.objects.filter(pk=payment.pk).update(state=PaymentState.HELD, confirmed_at=None)
    assert "are owed to workers" in post(admin, "archive")
    Payment.objects.update(state=PaymentState.CONFIRMED, confirmed_at=START)
    post(admin, "archive")
    assert set(project.batches.values_list("state", flat=True)) == {"closed"}


def test_deletion_requires_the_title(admin, project):
    response = admin.post(url("delete_project"), {"title": "news"})
    assert response.status_code == 422
    assert "This is not the title of the project." in response.content.decode()
    project.refresh_from_db()
    assert project.deleted_at is None


def test_deletion_keeps_money_workers_and_the_log(admin, project):
    campaign = Campaign(project, 8)
    other = Campaign(make_project("other"), 4)
    settle(project)
    make_user("root").api_tokens.create(
        name="t", digest="d", scopes=[], all_projects=False, created_at=START
    ).projects.add(project)
    kept = (LedgerEntry, Payment, Assignment, Hit, Worker, Budget)
    before = {model: model.objects.count() for model in kept}
    changes = StateChange.objects.count()
    page = post(admin, "delete_project", title="Project news")
    assert "is being deleted" in page
    assert admin.get(reverse("dashboard:project", args=["news"])).status_code == 404
    assert run_next_job(clock=lambda: START)
    job = Job.objects.latest("pk")
    assert (job.state, job.problem) == (JobState.FINISHED, "")
    assert not Project.objects.filter(pk=project.pk).exists()
    assert {model: model.objects.count() for model in kept} == before
    assert StateChange.objects.count() > changes
    assert not Item.objects.filter(pk__in=[item.pk for item in campaign.items]).exists()
    assert ApiToken.objects.count() == 1
    # The other project is unchanged.
    assert Item.objects.count() == Sentence.objects.count() == len(other.items)
    assert set(Gold.objects.values_list("item", flat=True)) <= {item.pk for item in other.items}
    with pytest.raises(ProjectExistsError):
        make_project("news")


def test_archived_project_can_be_deleted_with_its_rehearsals(admin, project):
    copy = rehearsed(project).copy
    Campaign(copy, 4)
    post(admin, "archive")
    post(admin, "delete_project", title="Project news")
    assert run_next_job(clock=lambda: START)
    assert not Project.objects.exists()
    assert not Item.objects.exists()


def test_rehearsal_is_deleted_alone(admin, project):
    Campaign(project, 4)
    rehearsal = rehearsed(project)
    Campaign(rehearsal.copy, 4)
    page = admin.post(url("delete_dry_run", rehearsal.job.pk), follow=True).content.decode()
    assert "is being deleted" in page
    assert run_next_job(clock=lambda: START)
    assert list(Project.objects.all()) == [project]
    assert Item.objects.count() == 4
    page = admin.get(reverse("rehearsal:dry_run", args=["news"])).content.decode()
    assert "(deleted)" in page


def test_running_rehearsal_is_not_deleted(admin, project):
    rehearsal = rehearsed(project)
    Job.objects.filter(pk=rehearsal.job.pk).update(state=JobState.RUNNING)
    page = admin.post(url("delete_dry_run", rehearsal.job.pk), follow=True).content.decode()
    assert "Cancel it first" in page
    assert Project.objects.filter(pk=rehearsal.copy.pk, deleted_at=None).exists()


def test_only_admins_archive_and_delete(project):
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    for name in ("archive", "unarchive", "delete_project"):
        assert client.post(url(name), {"title": "Project news"}).status_code == 403
    assert client.get(url("archive_page")).status_code == 403


def test_rows_are_deleted_before_the_rows_they_refer_to():
    rows = owned_rows()
    order = [model for model, _ in rows]
    assert order[-1] is Project
    for at, model in enumerate(order):
        for field in model._meta.get_fields():
            if isinstance(field, models.ForeignKey) and field.related_model in order:
                target = field.related_model
                assert target is model or order.index(target) > at, (model, target)
