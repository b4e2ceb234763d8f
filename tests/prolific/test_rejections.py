"""Rejections of work in sessions: the category and the reason are a person's."""

import pytest
from django.urls import reverse

from annotation.domain.decisions.decide_submission import end_wait, reject_submissions
from annotation.domain.publishing.publish import publish_batch
from annotation.models import Submission
from crowd.models import Assignment, Study, StudySession
from projects.enums import BonusTiming
from tests.prolific.campaign import DAY, Campaign, Person, label, wallet_cents
from tests.prolific.test_studies_page import Requester, text_of

REASON = (
    "Every sentence has the label that comes first, also where the guidelines give the opposite example. "
    "Please read them again."
)


@pytest.fixture
def client(project) -> Requester:
    return Requester(project)


@pytest.fixture
def campaign(server) -> Campaign:
    return Campaign(server, [])


@pytest.fixture
def person(project, server, campaign) -> Person:
    """Return a participant who submitted four tasks of which too little was kept."""
    project.pay_scheme["generator"] |= {"free_units": 0, "bonus_first_cents": 20}
    project.bonus_timing = BonusTiming.BY_TRUST
    project.save()
    publish_batch(project=project, now=server.clock())
    campaign.sweep(times=3)
    person = Person(server, label)
    session = person.arrive(Study.objects.get().external_id)
    for _ in range(4):
        person.work(person.next_task(session))
    person.finish(session)
    campaign.sweep(minutes=15, times=2)
    for assignment in Assignment.objects.all():
        reason = "0 of 4 labels in the worker's newest 4 items were kept."
        end_wait(assignment=assignment, review_reason=reason, now=server.clock())
    return person


def waiting(project) -> list[int]:
    rows = Submission.objects.filter(item__project=project, state="submitted")
    return list(rows.order_by("pk").values_list("pk", flat=True))


def test_form_requires_a_category_and_a_hundred_characters(client, project, person):
    queue = reverse("consolidation:submissions", args=[project.slug])
    page = text_of(client.get(queue))
    assert "Prolific requires at least 100 characters." in page
    assert "Did not follow the instructions" in page
    assert "Submitted nothing" not in page  # which would be false
    reject = reverse("consolidation:reject", args=[project.slug, waiting(project)[0]])
    for fields in (
        {"reason": REASON},
        {"reason": REASON, "category": "NO_DATA"},
        {"reason": "Bad. " + " " * 100, "category": "LOW_EFFORT"},
    ):
        assert client.post(reject, fields).status_code == 422
    short = client.post(reject, {"reason": "Bad work.", "category": "LOW_EFFORT"})
    assert "The reason has 9 characters. Prolific requires 100." in text_of(short)
    assert len(waiting(project)) == 4


def test_session_of_rejected_work_is_rejected_as_a_person_chose(
    client, project, server, campaign, person
):
    first, *others = waiting(project)
    reject = reverse("consolidation:reject", args=[project.slug, first])
    client.post(reject, {"reason": REASON, "category": "LOW_EFFORT"})
    decide = reverse("consolidation:decide_submissions", args=[project.slug])
    fields = {"row": others, "decision": "reject", "reason": REASON, "category": "FAILED_CHECK"}
    confirmation = text_of(client.post(decide, fields))
    assert "in the category “Failed attention checks”" in confirmation
    client.post(decide, fields | {"confirmed": "yes", "seen": 0})
    assert waiting(project) == []
    campaign.sweep(minutes=5, times=2)
    submission = person.participant.submissions[-1]
    assert submission.return_requested
    assert submission.status == "AWAITING REVIEW"
    campaign.sweep(minutes=8 * DAY)
    assert submission.status == "REJECTED"
    assert submission.rejection == ("FAILED_CHECK", REASON)
    assert StudySession.objects.get().state == "rejected"
    assert wallet_cents(server) == (0, 0)


def test_short_reason_is_refused_whatever_sends_it(project, person, server):
    terms = {"assignment": Assignment.objects.first(), "actor": "ada", "now": server.clock()}
    with pytest.raises(ValueError, match="requires 100"):
        reject_submissions(reason="No.", category="OTHER", **terms)
    with pytest.raises(ValueError, match="LOW_EFFORT"):
        reject_submissions(reason=REASON, **terms)
