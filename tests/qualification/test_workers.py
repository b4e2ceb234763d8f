from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone

from annotation.domain.publishing.qualification_codes import pool_code
from annotation.domain.publishing.queries import work_of_everyone
from annotation.models import Submission
from crowd.domain.workers.qualifications import grant_qualification
from crowd.domain.workers.write_messages import write_messages
from crowd.models import Assignment, Payment, QualificationType
from datasets.domain.costs.cost_figures import hourly_cents
from tests.dashboard.campaign import Campaign, add_workers, make_project
from web.money import dollars


def figures_of(worker):
    own = Submission.objects.filter(worker=worker)
    seconds = [submission.active_seconds for submission in own]
    return {
        "submissions": own.count(),
        "accepted": own.filter(state="accepted").count(),
        "rejected": 0,
        "active_seconds": sum(seconds),
        "mean_seconds": sum(seconds) / len(seconds),
    }


def test_list_shows_all_submitting_workers_with_figures(office, campaign, project):
    add_workers(3)  # known to the marketplace, but not to this project
    response = office.get(reverse("qualification:workers", args=[project.slug]))
    rows = [
        {column.heading: str(cell) for column, cell in row.cells}
        for row in response.context["listing"].shown
    ]
    assert len(rows) == len(campaign.workers)
    for row, worker in zip(rows, campaign.workers[::-1], strict=True):
        assert worker.pseudonym in row["Worker"]
        figures = figures_of(worker)
        for name in ("submissions", "accepted", "rejected"):
            assert row[name.capitalize()] == str(figures[name])
        paid = Payment.objects.filter(assignment__worker=worker, state="confirmed")
        assert row["Earned"] == dollars(paid.aggregate(sum=Sum("amount_cents"))["sum"])


def test_figures_exclude_work_for_other_projects(office, campaign, project):
    url = reverse("qualification:worker", args=[project.slug, campaign.workers[0].pseudonym])
    before = office.get(url).context
    other = Campaign(make_project("other"), 4)
    foreign = other.items[3].submissions.get(role="consolidator")
    Submission.objects.filter(pk=foreign.pk).update(worker=campaign.workers[0])
    Assignment.objects.filter(pk=foreign.assignment_id).update(worker=campaign.workers[0])
    after = office.get(url).context
    assert before["kinds"] == after["kinds"]


def test_training_is_counted_separately_from_production(office, campaign, project):
    """The sums of both are the worker's totals, in counts, time and pay."""
    before = work_of_everyone(project=project)
    campaign.items[3].in_production = False
    campaign.items[3].save()
    withdrawn = campaign.items[2]
    withdrawn.in_production, withdrawn.withdrawn_at = False, timezone.now()
    withdrawn.save()
    after = work_of_everyone(project=project)
    trained = set(campaign.items[3].submissions.values_list("worker", flat=True))
    assert {pk for pk, work in after.items() if work.training.submissions} == trained
    assert all(after[pk].training.earned_cents for pk in trained)
    for pk, work in after.items():
        for name in ("submissions", "accepted", "active_seconds", "earned_cents"):
            total = getattr(before[pk].production, name)
            assert getattr(work.production, name) + getattr(work.training, name) == total
    worker = campaign.items[3].submissions.first().worker
    url = reverse("qualification:worker", args=[project.slug, worker.pseudonym])
    assert [name for name, *_ in office.get(url).context["kinds"]] == [
        "production_work",
        "training_work",
    ]


def test_list_counts_pay_in_training_as_earned(office, campaign, project):
    """Each confirmed payment is a reward of 5 cents. One worker only trained."""
    url = reverse("qualification:workers", args=[project.slug])

    def earned():
        shown = office.get(url).context["listing"].shown
        cells = [{column.heading: str(cell) for column, cell in row.cells} for row in shown]
        return [row["Earned"] for row in cells]

    before = earned()
    assert any(amount != "$0.00" for amount in before)
    project.items.update(in_production=False)
    assert earned() == before


def test_worker_page_lists_submissions_and_payments(office, campaign, project):
    worker = campaign.workers[0]
    url = reverse("qualification:worker", args=[project.slug, worker.pseudonym])
    response = office.get(url)
    assert response.context["listing"].total == Submission.objects.filter(worker=worker).count()
    payments = Payment.objects.filter(assignment__worker=worker)
    assert len(response.context["payments"]) == payments.count()


def test_messages_and_grants_of_other_projects_are_hidden(office, campaign, project):
    worker, alike = campaign.workers[0], make_project(f"{project.slug}-2")
    for sender in (project, alike):
        text = f"From {sender.slug}."
        write_messages(
            budget=sender.budget, workers=[worker], subject="Hello", text=text, now=timezone.now()
        )
        pool = QualificationType.objects.create(
            provider=sender.provider,
            code=pool_code(sender, "generator"),
            name="Pool",
            description="x",
        )
        grant_qualification(qualification=pool, worker=worker, value=1, now=timezone.now())
    context = office.get(
        reverse("qualification:worker", args=[project.slug, worker.pseudonym])
    ).context
    assert [entry.text for entry in context["entries"]] == [f"From {project.slug}."]
    codes = [grant.qualification_type.code for grant in context["grants"]]
    assert pool_code(project, "generator") in codes
    assert pool_code(alike, "generator") not in codes


def test_worker_of_another_project_is_not_found(office, campaign, project):
    stranger = Campaign(make_project("other"), 4).workers[0]
    url = reverse("qualification:worker", args=[project.slug, stranger.pseudonym])
    assert office.get(url).status_code == 404


def test_hourly_wage_is_cents_earned_per_active_hour(campaign, project):

    assert hourly_cents(50, 180) == 1000
    assert hourly_cents(50, 0) is None


def test_empty_list_shows_an_empty_state(office, project):
    page = office.get(reverse("qualification:workers", args=[project.slug])).content
    assert b"No workers yet" in page
