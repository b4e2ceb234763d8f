from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Item, Submission
from consolidation.models import Case, Gold, Review
from crowd.models import Hit, Payment, QualificationGrant, QualificationType
from dashboard.pace import pace_of
from dashboard.protocol import pending_tasks, progress_of, steps_of
from qualification.models import Enrolment, Round
from tests.dashboard.campaign import START, Campaign, make_project


def test_steps_count_the_rows(campaign, project):
    steps = {step.name: (step.done, step.total) for step in steps_of(progress_of(project=project))}
    assert steps == {
        "screening": (0, None),
        "training": (0, None),
        # 12 items: 3 are unpublished, 3 have one accepted annotation and 6 have two.
        "generation": (15, 24),
        "consolidation": (3, 12),
        "gold": (3, 12),
        "export": (0, None),
    }


def test_training_steps_count_workers(campaign, project):
    round_ = Round.objects.create(project=project, ordinal=1, kind="training", title="First")
    for worker, state in zip(campaign.workers, ["passed", "to-decide", "working"], strict=False):
        Enrolment.objects.create(round=round_, worker=worker, state=state, enrolled_at=START)
    pool = QualificationType.objects.create(
        provider="mturk", code="demo-generator", name="Pool", description="Trained"
    )
    QualificationGrant.objects.create(
        qualification_type=pool, worker=campaign.workers[0], state="held", changed_at=START
    )
    training = steps_of(progress_of(project=project))[1]
    assert (training.done, training.total, training.notes) == (1, 3, ("1 in the pool",))


def test_training_step_counts_a_worker_of_two_rounds_once(campaign, project):
    states = (
        ([0, "passed"], [1, "passed"], [2, "withdrawn"], [3, "passed"], [4, "passed"]),
        ([0, "passed"], [1, "to-decide"], [3, "declined"]),
    )
    for ordinal, workers in enumerate(states, start=1):
        round_ = Round.objects.create(project=project, ordinal=ordinal, kind="training")
        for at, state in workers:
            worker = campaign.workers[at]
            Enrolment.objects.create(round=round_, worker=worker, state=state, enrolled_at=START)
    progress = progress_of(project=project)
    training = steps_of(progress)[1]
    # 1 goes on, and 3 was declined later. 0 and 4 passed all that they were invited to.
    notes = ("0 in the pool", "2 passed and not in the pool")
    assert (training.done, training.total, training.notes) == (3, 4, notes)
    assert {row.label: row.count for row in pending_tasks(progress)}[
        "trainees awaiting a decision"
    ] == 1


def test_gold_and_annotations_of_training_are_not_progress(campaign, project):
    before = {step.name: step.done for step in steps_of(progress_of(project=project))}
    done = Gold.objects.filter(item__project=project).first().item
    Item.objects.filter(pk=done.pk).update(in_production=False)
    after = {step.name: step.done for step in steps_of(progress_of(project=project))}
    assert after["gold"] == before["gold"] - 1
    assert after["generation"] == before["generation"] - 2


def test_imported_gold_is_shown_and_is_not_progress(campaign, project):
    item = project.items.filter(gold=None).first()
    Gold.objects.create(
        item=item, source="expert", version=1, content={}, schema_version=1, created_at=START
    )
    gold = steps_of(progress_of(project=project))[4]
    assert (gold.done, gold.notes) == (3, ("3 consolidated", "1 expert"))


def test_pace_of_the_last_day_predicts_the_end(campaign, project):
    gold_at = Gold.objects.latest("created_at").created_at
    Submission.objects.filter(item__project=project).update(
        submitted_at=gold_at - timedelta(hours=30)
    )
    first = Submission.objects.accepted().filter(item__in_production=True).first()
    Submission.objects.filter(pk=first.pk).update(submitted_at=gold_at)
    now = gold_at + timedelta(hours=1)
    pace = pace_of(project=project, now=now)
    assert (pace.span, pace.annotations, pace.finished) == (timedelta(hours=24), 1, 3)
    assert pace.end(9, now) == now + timedelta(days=3)
    assert pace.end(0, now) is None
    later = now + timedelta(hours=24)
    assert pace_of(project=project, now=later).end(9, later) is None


def test_end_is_expected_only_for_published_items_without_an_expert(office, campaign, project):
    """One item in four is unpublished, one is finished, and two are in work."""
    progress = progress_of(project=project)
    count = len(campaign.items)
    assert (progress.items.unpublished, progress.running()) == (count // 4, count // 2)
    case = Case.objects.exclude(item__in=Gold.objects.values("item")).first()
    Case.objects.filter(pk=case.pk).update(state="disputed")
    progress = progress_of(project=project)
    assert (progress.disputed, progress.running()) == (1, count // 2 - 1)
    text = " ".join(office.get(f"/projects/{project.slug}/").content.decode().split())
    assert "1 disputed item needs an expert." in text
    Case.objects.exclude(item__in=Gold.objects.values("item")).update(state="disputed")
    Item.objects.filter(pk__in=[item.pk for item in campaign.items[1::4]]).update(
        in_production=False
    )
    progress = progress_of(project=project)
    assert progress.running() == 0
    assert progress.expected_end(START + timedelta(days=1)) is None


def test_pace_of_a_young_campaign_uses_its_age(campaign, project):
    now = timezone.now()
    Submission.objects.filter(item__project=project).update(submitted_at=now - timedelta(hours=2))
    assert pace_of(project=project, now=now).span == timedelta(hours=2)
    nothing = pace_of(project=make_project("other"), now=now)
    assert (nothing.annotations, nothing.end(5, now)) == (0, None)


def test_pending_tasks_are_grouped_by_role(campaign, project):
    Hit.objects.filter(pk=campaign.items[1].tasks.get().hit_id).update(state="failed", error="no")
    Payment.objects.filter(pk=Payment.objects.first().pk).update(state="held", confirmed_at=None)
    Review.objects.create(gold=Gold.objects.first(), drawn_at=timezone.now())
    counts = {
        (task.role, task.label): task.count for task in pending_tasks(progress_of(project=project))
    }
    assert counts == {
        ("requester", "submissions to review"): 3,
        ("requester", "unpublished items"): 3,
        ("requester", "payments waiting for budget"): 1,
        ("requester", "failed HITs and payments"): 1,
        ("expert", "gold annotations to review"): 1,
        ("workers", "live HITs"): 14,
    }


def test_progress_excludes_other_projects(campaign, project):
    before = progress_of(project=project)
    Campaign(make_project("other"), 8)
    assert progress_of(project=project) == before
    assert Batch.objects.count() == 4


def test_overview_fragment_is_part_of_the_page(office, campaign, project):
    url = reverse("dashboard:project", args=[project.slug])
    whole, part = office.get(url), office.get(url, headers={"HX-Request": "true"})
    assert b"<html" in whole.content
    assert part.content.strip().startswith(b'<div id="progress"')
    assert "HX-Request" in part.headers["Vary"]


def test_overview_restored_from_history_is_a_full_page(office, project):
    url = reverse("dashboard:project", args=[project.slug])
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert b"<html" in office.get(url, headers=headers).content


def test_overview_of_an_empty_project_shows_how_to_start(office, project):
    page = office.get(reverse("dashboard:project", args=[project.slug])).content
    assert b"Upload a corpus" in page
    assert b"No pending tasks" in page
