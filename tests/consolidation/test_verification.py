"""Tests of verification, from an annotation to gold, a revision or a dispute."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from annotation.domain.decisions.decide_submission import overturn_rejection, reject_submissions
from annotation.domain.publishing.qualification_codes import pool_code, pool_of
from annotation.enums import SubmissionState
from annotation.models import Batch, Submission, Task
from audit.models import StateChange
from consolidation.domain.cases.dispute import raise_dispute
from consolidation.domain.cases.queries import disputes_of_item, items_of, state_of
from consolidation.domain.cases.revise import publish_due_revisions, publish_revision
from consolidation.enums import CaseState, ItemState
from consolidation.models import Case, Dispute, ExpertQueue, Gold
from crowd.domain.money.ledger import BudgetExceededError, set_cap
from crowd.domain.money.pay_scheme import page_pay
from crowd.domain.workers.block_worker import block_worker
from crowd.domain.workers.qualifications import (
    define_qualification,
    grant_qualification,
    revoke_qualification,
)
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Hit, Payment
from projects.domain.choose_protocol import ProtocolError, choose_protocol
from projects.domain.create_project import create_project
from projects.enums import AfterDisputes, Protocol, Role
from projects.models import Project
from schemes.registry import SCHEMES
from tests.annotation.page_data import page_data
from tests.consolidation.verification import (
    end,
    generate,
    make_verification_project,
    revise,
    submit,
    sweep,
    verify,
)
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.labels.scheme import SCHEME, LabelsValidating
from tests.signed import signed

pytestmark = pytest.mark.django_db


STATIC = Path(__file__).resolve().parents[1] / "schemes" / "labels" / "static"


@pytest.fixture(autouse=True)
def _registered(monkeypatch, settings) -> None:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, STATIC]


def generated_case(project: Project, label: str = "positive", worker=None) -> Case:
    return generate(project.items.get(), label, worker)


def state_of_item(project: Project) -> ItemState:
    return state_of(items_of(project=project).get())


# --- the protocol ------------------------------------------------------------------------------


def test_verification_has_one_generator_and_its_own_settings():
    project = make_verification_project(validators=3, agree=2, revisions=2, after_disputes="leave")
    project.refresh_from_db()
    assert (project.protocol, project.generators_per_item) == ("verification", 1)
    assert (project.revision_limit, project.after_disputes) == (2, AfterDisputes.LEAVE)
    change = StateChange.objects.get(aggregate="projects.Project")
    assert change.reason == "2 of 3 verifiers, 2 revisions, then it is excluded from the dataset"


@pytest.mark.parametrize("revisions", [-1, 4])
def test_number_of_revisions_is_limited(revisions):
    with pytest.raises(ProtocolError, match="revisions are not possible"):
        make_verification_project(revisions=revisions)


def test_scheme_without_disputes_does_not_support_verification():
    project = create_project(slug="verbs", scheme="qasrl", now=NOW)
    with pytest.raises(ProtocolError, match="does not support verification"):
        choose_protocol(project=project, protocol=Protocol.VERIFICATION, actor="test", now=NOW)


def test_pay_without_terms_for_revisers_is_refused():
    project = create_project(slug="moods", scheme="labels", now=NOW)
    del project.pay_scheme["reviser"]
    project.save()
    with pytest.raises(ProtocolError, match="no terms for revisers"):
        choose_protocol(project=project, protocol=Protocol.VERIFICATION, actor="test", now=NOW)


# --- agreement ---------------------------------------------------------------------------------


def test_supported_annotation_becomes_gold_once():
    project = make_verification_project()
    case = verify(generated_case(project), True, True)
    assert case.state == CaseState.VALIDATED
    gold = Gold.objects.get()
    assert (gold.source, gold.content, gold.case) == ("validated", {"label": "positive"}, case)
    assert gold.judgments.count() == 2
    assert not Dispute.objects.exists()
    assert state_of_item(project) == ItemState.VALIDATED
    sweep()
    assert Gold.objects.count() == 1


def test_two_of_three_verifiers_are_enough():
    project = make_verification_project(validators=3, agree=2)
    case = verify(generated_case(project), True, False, True)
    assert case.state == CaseState.VALIDATED
    assert Gold.objects.get().provenance[0]["valid"] == 2


def test_one_of_three_verifiers_is_not_enough():
    project = make_verification_project(validators=3, agree=2)
    case = verify(generated_case(project), True, False)
    assert case.state == CaseState.OFFERED  # the third verification is missing
    assert verify(case, False).state == CaseState.REVISING
    assert Dispute.objects.get().content == {"label": "positive", "against": 2}


class NothingToVerify(LabelsValidating):
    def is_empty(self, sources):
        return True


def test_annotation_without_anything_to_verify_becomes_gold_at_once(monkeypatch):
    monkeypatch.setitem(SCHEMES, SCHEME.name, replace(SCHEME, validating=NothingToVerify()))
    project = make_verification_project()
    generate(project.items.get())
    sweep()
    assert Case.objects.get().state == CaseState.VALIDATED
    assert Gold.objects.count() == 1
    assert not Hit.objects.filter(task__role=Role.VALIDATOR).exists()


# --- revision ----------------------------------------------------------------------------------


def test_disputed_annotation_is_revised_and_verified_again():
    project = make_verification_project()
    author, first, second = make_worker(), make_worker(), make_worker()
    case = verify(generated_case(project, worker=author), True, False, workers=[first, second])
    assert (case.state, case.task.role, case.round) == (CaseState.REVISING, Role.REVISER, 0)
    assert state_of_item(project) == ItemState.REVISING
    case = revise(case, "negative")
    assert (case.state, case.round) == (CaseState.OFFERED, 1)
    revision = case.sources.get().submission
    assert (revision.role, revision.worker) == (Role.REVISER, author)
    replaced = Submission.objects.filter(role=Role.VALIDATOR)
    assert {submission.state for submission in replaced} == {SubmissionState.WITHDRAWN}
    # The same workers may verify again.
    case = verify(case, True, True, workers=[first, second])
    assert case.state == CaseState.VALIDATED
    assert Gold.objects.get().content == {"label": "negative"}
    dispute = disputes_of_item(item=case.item).get()
    assert dispute.source.role == Role.GENERATOR
    assert dispute.revision == revision
    assert dispute.verifications.count() == 2


def test_all_work_is_paid_when_an_annotation_is_revised():
    project = make_verification_project()
    case = revise(verify(generated_case(project), False, False), "negative")
    verify(case, True, True)
    # A generation, two rounds of two verifications, and a revision.
    assert list(Payment.objects.values_list("kind", "amount_cents")) == [("reward", 2)] * 6
    paid = Payment.objects.values_list("assignment__submissions__role", flat=True)
    assert Counter(paid) == {"generator": 1, "validator": 4, "reviser": 1}


def test_only_the_author_can_accept_the_revision():
    project = make_verification_project(items=2)
    workers = [make_worker(), make_worker()]
    for item, worker in zip(project.items.order_by("pk"), workers, strict=True):
        verify(generate(item, worker=worker), False, False)
    qualification = pool_of(project=project, role=Role.REVISER)
    grants = {grant.worker: grant.value for grant in qualification.grants.all()}
    required = {
        Submission.objects.get(item=task.items.get(), role=Role.GENERATOR).worker: (
            task.hit.hit_type.qualifications
        )
        for task in Task.objects.filter(role=Role.REVISER)
    }
    code = pool_code(project, Role.REVISER)
    assert required == {
        worker: [{"code": code, "comparator": "In", "integers": [grants[worker]]}]
        for worker in workers
    }
    assert len(set(grants.values())) == 2


def test_reviser_gets_the_generators_page_with_the_annotation_and_its_disputes():
    project = make_verification_project()
    author = make_worker()
    case = verify(generated_case(project, worker=author), False, False)
    data = open_page(case, author.external_id)
    (item,) = data["items"]
    assert item["content"] == {"label": "positive"}
    assert item["disputes"] == {"label": "positive", "against": 2}
    assert item["data"]["labels"] == ["positive", "negative", "neutral"]
    assert data["pay"] == page_pay(project.pay_scheme["reviser"])


def test_page_of_a_revision_is_closed_to_others():
    project = make_verification_project()
    case = verify(generated_case(project), False, False)
    response = Client().get(address_of(case, make_worker().external_id))
    assert response.status_code == 400
    assert "Only the worker who wrote this annotation" in response.content.decode()


def address_of(case: Case, worker: str) -> str:
    names = {Role.REVISER: "revise", Role.VALIDATOR: "validate"}
    page = reverse(f"consolidation:{names[case.task.role]}", args=[case.task.public_id])
    query = f"assignmentId=A1&workerId={worker}&turkSubmitTo=http://127.0.0.1:8000"
    return signed(f"{page}?{query}")


def open_page(case: Case, worker: str) -> dict:
    response = Client().get(address_of(case, worker))
    assert response.status_code == 200, response.content
    return page_data(response.content.decode())


def test_generator_can_not_verify_own_work():
    project = make_verification_project()
    author = make_worker()
    case = generated_case(project, worker=author)
    response = Client().get(address_of(case, author.external_id))
    page = response.content.decode()
    assert "You wrote one of the annotations" in page
    # The marketplace's page replaces the task.
    assert 'data-wrapper="http://127.0.0.1:8000"' in page
    assert 'data-assignment="A1"' in page
    elsewhere = address_of(case, author.external_id).replace("127.0.0.1:8000", "evil.example")
    assert "data-wrapper" not in Client().get(elsewhere).content.decode()
    Submission.objects.update(submitted_at=NOW)
    submit(case.task.hit, author, {"valid": True})
    sweep()
    own = Submission.objects.get(role=Role.VALIDATOR)
    assert (own.state, own.problem) == (
        SubmissionState.SUBMITTED,
        "The validator wrote one of the annotations.",
    )


def test_pool_of_verifiers_excludes_the_author_in_every_round():
    project = make_verification_project()
    pool = define_qualification(
        provider=project.provider,
        code=pool_code(project, Role.VALIDATOR),
        name="v",
        description="v",
    )
    author = make_worker()
    value = grant_qualification(qualification=pool, worker=author, now=NOW).value
    case = revise(verify(generated_case(project, worker=author), False, False), "negative")
    hits = Hit.objects.filter(task__role=Role.VALIDATOR)
    assert hits.count() == 2
    for hit in hits:
        assert hit.hit_type.qualifications == [
            {"code": pool.code, "comparator": "NotIn", "integers": [value]}
        ]
    assert case.task.hit in hits


def test_revisions_up_to_the_limit_replace_each_other():
    project = make_verification_project(revisions=2)
    case = revise(verify(generated_case(project), False, False), "negative")
    case = revise(verify(case, False, False), "neutral")
    assert (case.state, case.round) == (CaseState.OFFERED, 2)
    revisions = Submission.objects.filter(role=Role.REVISER).order_by("pk")
    assert [(row.content["label"], row.state) for row in revisions] == [
        ("negative", SubmissionState.WITHDRAWN),
        ("neutral", SubmissionState.ACCEPTED),
    ]
    case = verify(case, False, False)
    assert case.state == CaseState.DISPUTED
    assert [dispute.content["label"] for dispute in case.disputes.all()] == [
        "positive",
        "negative",
        "neutral",
    ]


def test_verification_of_an_earlier_round_does_not_count():
    project = make_verification_project()
    case = generated_case(project)
    old = case.task.hit
    case = revise(verify(case, False, False), "negative")
    submit(old, make_worker(), {"valid": True})
    submit(case.task.hit, make_worker(), {"valid": True})
    sweep()
    case.refresh_from_db()
    assert case.state == CaseState.OFFERED
    assert not Gold.objects.exists()
    assert Submission.objects.accepted().filter(role=Role.VALIDATOR).count() == 2


def test_rejected_verification_of_an_earlier_round_can_only_be_paid():
    project = make_verification_project()
    case = generated_case(project)
    rejected = submit(case.task.hit, make_worker(), {"valid": "?"})
    sweep()
    reject_submissions(assignment=rejected, reason="Not readable.", actor="a", now=NOW)
    Assignment.objects.filter(pk=rejected.pk).update(state=AssignmentState.REJECTED, decided_at=NOW)
    Hit.objects.filter(pk=case.task.hit_id).update(max_assignments=3)
    case.refresh_from_db()
    revise(verify(case, False, False), "negative")
    rejected.refresh_from_db()
    with pytest.raises(ValueError, match="replaced this work"):
        overturn_rejection(assignment=rejected, use=True, reason="Fine.", actor="a", now=NOW)


# --- budget ------------------------------------------------------------------------------------


def test_revision_needs_budget_and_reserves_it_before_publication():
    project = make_verification_project()
    case = generated_case(project)
    budget = project.budget
    budget.refresh_from_db()
    set_cap(budget=budget, cap_cents=budget.reserved_cents + budget.spent_cents)
    case = verify(case, False, False)
    assert (case.state, case.task) == (CaseState.REVISING, None)
    assert publish_due_revisions(clock=lambda: NOW) == 0
    assert "0.00 dollars left" in Batch.objects.get(role=Role.VALIDATOR).republish_problem
    with pytest.raises(BudgetExceededError):
        publish_revision(case_id=case.pk, now=NOW)
    assert not Batch.objects.filter(role=Role.REVISER).exists()
    set_cap(budget=budget, cap_cents=None)
    assert publish_due_revisions(clock=lambda: NOW) == 1
    case.refresh_from_db()
    reserved = case.task.hit.ledger_entries.get(kind="reserve")
    assert (reserved.amount_cents, reserved.fee_cents) == (2, 1)


# --- missing revisions -------------------------------------------------------------------------


def test_expired_revision_is_republished_up_to_the_limit_of_the_batch():
    project = make_verification_project()
    case = verify(generated_case(project), False, False)
    Batch.objects.filter(role=Role.REVISER).update(republish_limit=1)
    end(case.task.hit, HitState.EXPIRED)
    sweep()
    case.refresh_from_db()
    case.task.hit.refresh_from_db()
    assert (case.state, case.task.hit.state) == (CaseState.REVISING, HitState.LIVE)
    end(case.task.hit, HitState.EXPIRED)
    sweep()
    case.refresh_from_db()
    assert case.state == CaseState.DISPUTED
    change = StateChange.objects.filter(aggregate="consolidation.Case", new="disputed").get()
    assert change.reason == "The annotator did not revise the annotation."


def test_revision_refused_by_the_marketplace_gets_a_new_hit_for_its_author():
    project = make_verification_project()
    case = verify(generated_case(project), False, False)
    old = case.task.hit
    Hit.objects.filter(pk=old.pk).update(state=HitState.FAILED, error="no money")
    sweep()
    case.refresh_from_db()
    assert case.task.hit != old
    assert case.task.hit.hit_type.qualifications == old.hit_type.qualifications
    assert "/revise/" in case.task.hit.url
    assert revise(case, "negative").round == 1


def test_rejected_revision_leaves_the_item_disputed():
    project = make_verification_project()
    case = verify(generated_case(project), False, False)
    case = revise(case, "no label")
    assert case.state == CaseState.REVISING  # staff have to decide
    revision = Submission.objects.get(role=Role.REVISER)
    reject_submissions(assignment=revision.assignment, reason="Empty.", actor="a", now=NOW)
    sweep()
    case.refresh_from_db()
    assert case.state == CaseState.REVISING  # the marketplace may refuse the rejection
    Assignment.objects.filter(pk=revision.assignment_id).update(
        state=AssignmentState.REJECTED, decided_at=NOW
    )
    sweep()
    case.refresh_from_db()
    assert case.state == CaseState.DISPUTED


def test_revision_by_another_worker_awaits_review():
    project = make_verification_project()
    case = revise(verify(generated_case(project), False, False), "negative", make_worker())
    assert case.state == CaseState.REVISING
    revision = Submission.objects.get(role=Role.REVISER)
    assert revision.problem == "The reviser did not write the annotation."


def test_blocked_author_gets_no_revision():
    project = make_verification_project()
    author = make_worker()
    case = generated_case(project, worker=author)
    block_worker(worker=author, reason="spam", actor="a", now=NOW)
    assert verify(case, False, False).state == CaseState.DISPUTED
    assert not Task.objects.filter(role=Role.REVISER).exists()


def test_author_who_left_the_pool_gets_no_revision():
    project = make_verification_project()
    author = make_worker()
    pool = define_qualification(
        provider=project.provider,
        code=pool_code(project, Role.GENERATOR),
        name="g",
        description="g",
    )
    grant_qualification(qualification=pool, worker=author, now=NOW)
    case = generated_case(project, worker=author)
    revoke_qualification(qualification=pool, worker=author, reason="over", now=NOW)
    assert verify(case, False, False).state == CaseState.DISPUTED


# --- after the revisions -----------------------------------------------------------------------


def test_item_that_stays_disputed_is_queued_for_experts():
    project = make_verification_project(items=2, revisions=0)
    for item in project.items.order_by("pk"):
        assert verify(generate(item), False, False).state == CaseState.DISPUTED
    queue = ExpertQueue.objects.get()
    assert (queue.title, queue.created_by, queue.makes_gold) == ("Disputed items", None, True)
    assert list(queue.queued.values_list("item__key", "ordinal")) == [("s0:0", 0), ("s1:0", 1)]
    assert not Task.objects.filter(role=Role.REVISER).exists()


def test_queue_of_disputed_items_avoids_the_title_of_another():
    project = make_verification_project(revisions=0)
    owner = make_user("ada", project, "admin")
    ExpertQueue.objects.create(
        project=project, title="Disputed items", kind="annotate", created_by=owner, created_at=NOW
    )
    verify(generated_case(project), False, False)
    assert ExpertQueue.objects.get(is_for_disputes=True).title == "Disputed items (2)"


def test_item_that_stays_disputed_is_excluded_by_the_project_setting():
    project = make_verification_project(revisions=0, after_disputes="leave")
    assert verify(generated_case(project), False, False).state == CaseState.DISPUTED
    assert not ExpertQueue.objects.exists()
    assert not Gold.objects.exists()
    assert state_of_item(project) == ItemState.DISPUTED
    assert items_of(project=project, state="disputed").count() == 1


def test_dispute_is_stored_once():
    project = make_verification_project()
    case = verify(generated_case(project), False, False)
    with pytest.raises(IntegrityError):
        raise_dispute(case=case, content={}, verifications=[], now=NOW)
