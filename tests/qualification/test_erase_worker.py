"""A person is forgotten on request: nothing leads to them, and the dataset and the ledger stay."""

import pytest
from django.urls import reverse

from annotation.models import Draft, FinishedTutorial, WorkerNote
from audit.models import StateChange
from crowd.domain.qualifications import define_qualification, grant_qualification
from crowd.domain.register_worker import register_worker
from crowd.enums import AssignmentState, GrantState
from crowd.models import Assignment, LedgerEntry, Message, QualificationGrant, Worker
from datasets.domain.export_gold import ExportOptions, export_gold
from projects.enums import MemberRole
from projects.models import Membership
from qualification.domain.erase_worker import (
    Erasure,
    ErasureError,
    erase_worker,
    open_obligations,
    withdraw_everything,
)
from qualification.models import PoolFeedback
from tests.dashboard.campaign import START, Campaign, make_project, make_user
from tests.view_names import VIEW_NAMES

REASON = "Asked for by letter."


@pytest.fixture
def person(campaign) -> Worker:
    """A worker all of whose work is decided and paid, with words of theirs in every room."""
    worker = campaign.workers[0]
    Assignment.objects.filter(worker=worker, state=AssignmentState.SUBMITTED).update(
        state=AssignmentState.APPROVED, decided_at=START
    )
    worker.submissions.update(comment="My name is Ada.")
    task = campaign.items[1].tasks.first()
    Draft.objects.create(
        task=task,
        assignment_ref="3A",
        worker_ref=worker.external_id,
        comment="My name is Ada.",
        opened_at=START,
        saved_at=START,
    )
    Message.objects.create(
        worker=worker, subject="Ada", text="Dear Ada", state="sent", written_at=START
    )
    return worker


def forget(worker: Worker, how: Erasure) -> Worker:
    return erase_worker(worker=worker, how=how, reason=REASON, actor="rita", now=START)


def gold_of(project, folder) -> bytes:
    written = export_gold(project=project, options=ExportOptions(fmt="qasrl-csv"), folder=folder)
    return b"".join(
        path.read_bytes() for path in sorted(written.folder.iterdir()) if "gold" in path.name
    )


def test_pseudonymised_the_id_is_gone_and_the_dataset_the_same(person, project, tmp_path):
    before, cents = gold_of(project, tmp_path / "a"), LedgerEntry.objects.count()
    secret = person.external_id
    tutorial = {"scheme": "qasrl", "role": "generator", "finished_at": START}
    FinishedTutorial.objects.create(worker_ref=secret, **tutorial)
    row = forget(person, Erasure.PSEUDONYMISE)
    assert row.pseudonym == person.pseudonym
    assert not FinishedTutorial.objects.exists()
    assert not Worker.objects.filter(external_id=secret).exists()
    assert not Draft.objects.filter(worker_ref=secret).exists()
    assert gold_of(project, tmp_path / "b") == before
    assert LedgerEntry.objects.count() == cents
    log = StateChange.objects.get(aggregate="crowd.Worker")
    assert (log.new, log.reason) == ("pseudonymised", REASON)


def test_who_was_pseudonymised_and_works_again_is_known_and_can_be_paid(person):
    secret = person.external_id
    forget(person, Erasure.PSEUDONYMISE)
    again = register_worker(provider="mturk", external_id=secret, now=START)
    assert (again.pk, again.external_id) == (person.pk, secret)


def test_erased_no_word_is_left_and_who_comes_back_is_somebody_new(person):
    WorkerNote.objects.create(
        project=person.submissions.first().item.project,
        worker=person,
        author=_author(),
        text="Ada is quick.",
        written_at=START,
    )
    secret, pseudonym = person.external_id, person.pseudonym
    row = forget(person, Erasure.ERASE)
    assert row.pseudonym != pseudonym
    assert not WorkerNote.objects.exists()
    assert not person.submissions.exclude(comment="").exists()
    assert not Draft.objects.exclude(comment="").exists()
    assert not Assignment.objects.filter(worker=person).exclude(answer={}).exists()
    assert [one.text for one in Message.objects.all()] == [""]
    assert person.submissions.exists()
    again = register_worker(provider="mturk", external_id=secret, now=START)
    assert again.pk != person.pk


def _author():
    from tests.dashboard.campaign import make_user

    return make_user("nora")


def test_a_second_time_changes_nothing(person):
    once = forget(person, Erasure.ERASE)
    assert forget(once, Erasure.ERASE).external_id == once.external_id
    assert forget(once, Erasure.PSEUDONYMISE).external_id == once.external_id
    assert StateChange.objects.filter(aggregate="crowd.Worker").count() == 1


def test_nobody_is_forgotten_with_money_or_an_answer_owed(campaign):
    worker = campaign.workers[0]
    own = worker.assignments.first()
    own.payments.update(state="sent", confirmed_at=None)
    Assignment.objects.filter(pk=own.pk).update(state="submitted")
    with pytest.raises(ErasureError, match=r"assignments to decide, \d+ payments to confirm"):
        forget(worker, Erasure.PSEUDONYMISE)
    worker.refresh_from_db()
    assert worker.external_id.startswith("ASECRET")


def test_qualifications_are_withdrawn_first(person):
    pool = define_qualification(provider="mturk", code="demo-pool", name="Pool", description="?")
    grant_qualification(qualification=pool, worker=person, now=START)
    assert open_obligations(person).qualifications == 1
    with pytest.raises(ErasureError, match="1 qualifications to withdraw"):
        forget(person, Erasure.ERASE)
    assert withdraw_everything(worker=person, reason=REASON, now=START) == 1
    assert QualificationGrant.objects.get().state == GrantState.REVOKING
    QualificationGrant.objects.update(state=GrantState.REVOKED)
    forget(person, Erasure.ERASE)


# --- the page


@pytest.fixture
def admin(office, project, requester):
    Membership.objects.create(project=project, user=requester, role=MemberRole.ADMIN)
    return office


def page_of(project, worker, name="worker"):
    return reverse(VIEW_NAMES[name], args=[project.slug, worker.pseudonym])


def test_note_is_written_and_read_by_colleagues(office, project, person):
    office.post(page_of(project, person, "worker_note"), {"text": "Writes <b>well</b>."})
    page = office.get(page_of(project, person)).content.decode()
    assert "Writes &lt;b&gt;well&lt;/b&gt;." in page
    assert "rita" in page
    empty = office.post(page_of(project, person, "worker_note"), {"text": " "})
    assert empty.status_code == 422


def test_admin_forgets_a_person_on_their_page(admin, project, person):
    response = admin.post(
        page_of(project, person, "erase_worker_page"),
        {"how": "erase", "reason": REASON},
        follow=True,
    )
    person.refresh_from_db()
    assert "can no longer be paid or messaged" in response.content.decode()
    assert person.pseudonym in response.content.decode()


def test_refusals_stand_at_their_field(admin, project, campaign):
    worker = campaign.workers[0]
    address = page_of(project, worker, "erase_worker_page")
    assert admin.post(address, {"how": "erase"}).status_code == 422
    worker.assignments.first().payments.update(state="sent", confirmed_at=None)
    response = admin.post(address, {"how": "erase", "reason": REASON})
    assert response.status_code == 422
    assert "payments to confirm" in response.content.decode()


def test_a_person_who_works_elsewhere_is_not_one_admin_s_to_forget(admin, project, person):
    other = Campaign(make_project("other"), 4)
    one = other.items[1].submissions.first()
    other.items[1].submissions.filter(pk=one.pk).update(worker=person)
    response = admin.post(
        page_of(project, person, "erase_worker_page"), {"how": "erase", "reason": REASON}
    )
    assert response.status_code == 422
    assert "1 projects of which you are not an admin" in response.content.decode()


def test_requester_who_is_no_admin_is_not_offered_it(office, project, person):
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
    forget(person, Erasure.ERASE)
    feedback.refresh_from_db()
    assert (feedback.text, feedback.notes, feedback.reply) == ("", {}, "")
