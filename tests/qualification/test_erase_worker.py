"""Tests of the erasure of a worker, which must leave the dataset and the ledger unchanged."""

import pytest
from django.urls import reverse

from annotation.models import (
    Consent,
    Draft,
    FinishedTutorial,
    OnboardingDraft,
    QuestionnaireAnswer,
    WorkerNote,
)
from audit.models import StateChange
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import AssignmentState, GrantState
from crowd.models import Assignment, LedgerEntry, Message, QualificationGrant, Worker
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from projects.enums import MemberRole
from projects.models import Membership
from qualification.domain.pool.erase_worker import (
    Erasure,
    ErasureError,
    erase_worker,
    open_obligations,
    withdraw_everything,
)
from qualification.models import Enrolment, PoolFeedback, Round, SecondOpinion
from tests.annotation.onboarding import publish_text
from tests.dashboard.campaign import START, Campaign, make_project, make_user
from tests.view_names import VIEW_NAMES

REASON = "Asked for by letter."


@pytest.fixture
def person(campaign) -> Worker:
    """Return a worker with decided, paid work and with personal texts in every table."""
    worker = campaign.workers[0]
    Assignment.objects.filter(worker=worker, state=AssignmentState.SUBMITTED).update(
        state=AssignmentState.APPROVED, decided_at=START
    )
    worker.submissions.update(comment="My name is Ada.")
    Worker.objects.filter(pk=worker.pk).update(language="de")
    task = campaign.items[1].tasks.first()
    Draft.objects.create(
        task=task,
        assignment_ref="3A",
        worker_ref=worker.external_id,
        comment="My name is Ada.",
        opened_at=START,
        saved_at=START,
        language="de",
    )
    Message.objects.create(
        worker=worker, subject="Ada", text="Dear Ada", state="sent", written_at=START
    )
    return worker


def erase(worker: Worker, how: Erasure) -> Worker:
    return erase_worker(worker=worker, how=how, reason=REASON, actor="rita", now=START)


def gold_of(project, folder) -> bytes:
    written = export_gold(project=project, options=ExportOptions(fmt="qasrl-csv"), folder=folder)
    return b"".join(
        path.read_bytes() for path in sorted(written.folder.iterdir()) if "gold" in path.name
    )


def test_pseudonymisation_removes_the_id_and_keeps_the_dataset(person, project, tmp_path):
    before, cents = gold_of(project, tmp_path / "a"), LedgerEntry.objects.count()
    secret = person.external_id
    tutorial = {"scheme": "qasrl", "role": "generator", "finished_at": START}
    FinishedTutorial.objects.create(worker_ref=secret, **tutorial)
    row = erase(person, Erasure.PSEUDONYMISE)
    assert row.pseudonym == person.pseudonym
    assert not Worker.objects.exclude(language="").exists()
    assert not Draft.objects.exclude(language="").exists()
    assert not FinishedTutorial.objects.exists()
    assert not Worker.objects.filter(external_id=secret).exists()
    assert not Draft.objects.filter(worker_ref=secret).exists()
    assert gold_of(project, tmp_path / "b") == before
    assert LedgerEntry.objects.count() == cents
    log = StateChange.objects.get(aggregate="crowd.Worker")
    assert (log.new, log.reason) == ("pseudonymised", REASON)


def test_erasure_deletes_answers_and_leaves_the_consent_without_a_name(person, project):
    text = publish_text(project)
    Consent.objects.create(text=text, worker=person, accepted_at=START)
    answer = {"project": project, "worker": person, "key": "f1", "label": "Year of birth"}
    QuestionnaireAnswer.objects.create(**answer, value="1990", answered_at=START)
    OnboardingDraft.objects.create(
        project=project,
        worker_ref=person.external_id,
        assignment_ref="4A",
        answers={"f1": {"label": "Year of birth", "value": "1990"}},
        saved_at=START,
    )
    erase(person, Erasure.PSEUDONYMISE)
    assert QuestionnaireAnswer.objects.filter(worker=person).exists()
    assert not OnboardingDraft.objects.exists()
    erase(person, Erasure.ERASE)
    assert not QuestionnaireAnswer.objects.exists()
    assert Consent.objects.filter(worker=person).exists()


def test_returning_pseudonymised_worker_is_recognised_and_can_be_paid(person):
    secret = person.external_id
    erase(person, Erasure.PSEUDONYMISE)
    again = register_worker(provider="mturk", external_id=secret, now=START)
    assert (again.pk, again.external_id) == (person.pk, secret)


def test_erasure_removes_all_texts_and_a_returning_worker_is_new(person):
    author = _author()
    WorkerNote.objects.create(
        project=person.submissions.first().item.project,
        worker=person,
        author=author,
        text="Ada is quick.",
        written_at=START,
    )
    round = Round.objects.create(
        project=person.submissions.first().item.project, ordinal=1, kind="training"
    )
    SecondOpinion.objects.create(
        enrolment=Enrolment.objects.create(round=round, worker=person, enrolled_at=START),
        trainer=author,
        opinion="pass",
        comment="Ada is careful.",
        given_at=START,
    )
    secret, pseudonym = person.external_id, person.pseudonym
    row = erase(person, Erasure.ERASE)
    assert row.pseudonym != pseudonym
    assert not WorkerNote.objects.exists()
    assert SecondOpinion.objects.get().comment == ""
    assert not person.submissions.exclude(comment="").exists()
    assert not Draft.objects.exclude(comment="", language="").exists()
    assert not Worker.objects.exclude(language="").exists()
    assert not Assignment.objects.filter(worker=person).exclude(answer={}).exists()
    assert [message.text for message in Message.objects.all()] == [""]
    assert person.submissions.exists()
    again = register_worker(provider="mturk", external_id=secret, now=START)
    assert again.pk != person.pk


def _author():
    from tests.dashboard.campaign import make_user

    return make_user("nora")


def test_second_erasure_changes_nothing(person):
    once = erase(person, Erasure.ERASE)
    assert erase(once, Erasure.ERASE).external_id == once.external_id
    assert erase(once, Erasure.PSEUDONYMISE).external_id == once.external_id
    assert StateChange.objects.filter(aggregate="crowd.Worker").count() == 1


def test_worker_with_unsettled_work_can_not_be_erased(campaign):
    worker = campaign.workers[0]
    own = worker.assignments.first()
    own.payments.update(state="sent", confirmed_at=None)
    Assignment.objects.filter(pk=own.pk).update(state="submitted")
    with pytest.raises(ErasureError, match=r"assignments to decide, \d+ payments to confirm"):
        erase(worker, Erasure.PSEUDONYMISE)
    worker.refresh_from_db()
    assert worker.external_id.startswith("ASECRET")


def test_qualifications_must_be_withdrawn_first(person):
    pool = define_qualification(provider="mturk", code="demo-pool", name="Pool", description="?")
    grant_qualification(qualification=pool, worker=person, now=START)
    assert open_obligations(person).qualifications == 1
    with pytest.raises(ErasureError, match="1 qualifications to withdraw"):
        erase(person, Erasure.ERASE)
    assert withdraw_everything(worker=person, reason=REASON, now=START) == 1
    assert QualificationGrant.objects.get().state == GrantState.REVOKING
    QualificationGrant.objects.update(state=GrantState.REVOKED)
    erase(person, Erasure.ERASE)


# --- the page


@pytest.fixture
def admin(office, project, requester):
    Membership.objects.create(project=project, user=requester, role=MemberRole.ADMIN)
    return office


def page_of(project, worker, name="worker"):
    return reverse(VIEW_NAMES[name], args=[project.slug, worker.pseudonym])


def test_note_is_visible_to_colleagues(office, project, person):
    office.post(page_of(project, person, "worker_note"), {"text": "Writes <b>well</b>."})
    page = office.get(page_of(project, person)).content.decode()
    assert "Writes &lt;b&gt;well&lt;/b&gt;." in page
    assert "rita" in page
    empty = office.post(page_of(project, person, "worker_note"), {"text": " "})
    assert empty.status_code == 422


def test_admin_erases_a_worker_on_the_worker_page(admin, project, person):
    response = admin.post(
        page_of(project, person, "erase_worker_page"),
        {"how": "erase", "reason": REASON},
        follow=True,
    )
    person.refresh_from_db()
    assert "can no longer be paid or messaged" in response.content.decode()
    assert person.pseudonym in response.content.decode()


def test_refusals_are_shown_beside_the_field(admin, project, campaign):
    worker = campaign.workers[0]
    address = page_of(project, worker, "erase_worker_page")
    assert admin.post(address, {"how": "erase"}).status_code == 422
    worker.assignments.first().payments.update(state="sent", confirmed_at=None)
    response = admin.post(address, {"how": "erase", "reason": REASON})
    assert response.status_code == 422
    assert "payments to confirm" in response.content.decode()


def test_worker_of_several_projects_can_not_be_erased_by_one_admin(admin, project, person):
    other = Campaign(make_project("other"), 4)
    submission = other.items[1].submissions.first()
    other.items[1].submissions.filter(pk=submission.pk).update(worker=person)
    response = admin.post(
        page_of(project, person, "erase_worker_page"), {"how": "erase", "reason": REASON}
    )
    assert response.status_code == 422
    assert "1 projects of which you are not an admin" in response.content.decode()


def test_requester_without_admin_role_sees_no_erasure(office, project, person):
    assert b"Erase worker data" not in office.get(page_of(project, person)).content


def test_erasure_deletes_the_texts_of_feedback_on_production(campaign, person):
    feedback = PoolFeedback.objects.create(
        project=person.submissions.first().item.project,
        worker=person,
        trainer=make_user("tina"),
        text="Dear Ada",
        notes={"1": "Ada, look."},
        reply="Why? Ada",
        written_at=START,
    )
    erase(person, Erasure.ERASE)
    feedback.refresh_from_db()
    assert (feedback.text, feedback.notes, feedback.reply) == ("", {}, "")
