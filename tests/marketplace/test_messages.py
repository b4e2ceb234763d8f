"""Error codes and messages of the Requester API that MTurk clients compare or search."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from marketplace.models import Assignment

from .conftest import HIT_TYPE, accept, question
from .test_operations import refused

pytestmark = pytest.mark.django_db

TYPE = {"Name": "Trained", "Description": "d", "QualificationTypeStatus": "Active"}


@dataclass
class Lab:
    """A requester with a HIT, a submitted assignment and a qualification type."""

    mturk: Any
    publish: Callable[..., dict[str, Any]]
    browser: Any
    worker: str
    hit: str
    assignment: str
    ids: dict[str, str]

    def accept_another(self) -> str:
        return accept(self.browser, self.publish(Reward="0.10"))


@pytest.fixture
def lab(mturk, publish, browser, worker, do_hit) -> Lab:
    hit, assignment = do_hit()
    kind = mturk.create_qualification_type(**TYPE)["QualificationType"]["QualificationTypeId"]
    ids = {"QualificationTypeId": kind, "WorkerId": worker.code}
    return Lab(mturk, publish, browser, worker.code, hit["HITId"], assignment, ids)


def approve_twice(lab: Lab) -> tuple[str, str]:
    lab.mturk.approve_assignment(AssignmentId=lab.assignment)
    return refused(lab.mturk.approve_assignment, AssignmentId=lab.assignment)


def reject_after_approval(lab: Lab) -> tuple[str, str]:
    lab.mturk.approve_assignment(AssignmentId=lab.assignment)
    params = {"AssignmentId": lab.assignment, "RequesterFeedback": ""}
    return refused(lab.mturk.reject_assignment, **params)


def read_accepted(lab: Lab) -> tuple[str, str]:
    return refused(lab.mturk.get_assignment, AssignmentId=lab.accept_another())


def delete_twice(lab: Lab) -> tuple[str, str]:
    lab.mturk.approve_assignment(AssignmentId=lab.assignment)
    lab.mturk.delete_hit(HITId=lab.hit)
    return refused(lab.mturk.delete_hit, HITId=lab.hit)


def delete_undecided(lab: Lab) -> tuple[str, str]:
    return refused(lab.mturk.delete_hit, HITId=lab.hit)


def delete_assignable(lab: Lab) -> tuple[str, str]:
    return refused(lab.mturk.delete_hit, HITId=lab.publish()["HITId"])


def extend_deleted(lab: Lab) -> tuple[str, str]:
    lab.mturk.approve_assignment(AssignmentId=lab.assignment)
    lab.mturk.delete_hit(HITId=lab.hit)
    return refused(lab.mturk.update_expiration_for_hit, HITId=lab.hit, ExpireAt=0)


def score_of_unknown_type(lab: Lab) -> tuple[str, str]:
    return refused(
        lab.mturk.get_qualification_score, QualificationTypeId="3NONE", WorkerId=lab.worker
    )


def score_never_granted(lab: Lab) -> tuple[str, str]:
    return refused(lab.mturk.get_qualification_score, **lab.ids)


def score_of_unknown_worker(lab: Lab) -> tuple[str, str]:
    return refused(lab.mturk.get_qualification_score, **{**lab.ids, "WorkerId": "AZZZZZZZZZZZZZ"})


def score_revoked(lab: Lab) -> tuple[str, str]:
    lab.mturk.associate_qualification_with_worker(**lab.ids)
    lab.mturk.disassociate_qualification_from_worker(**lab.ids)
    return refused(lab.mturk.get_qualification_score, **lab.ids)


def revoke_never_granted(lab: Lab) -> tuple[str, str]:
    return refused(lab.mturk.disassociate_qualification_from_worker, **lab.ids)


def create_type_twice(lab: Lab) -> tuple[str, str]:
    return refused(lab.mturk.create_qualification_type, **TYPE)


def repeat_token(lab: Lab) -> tuple[str, str]:
    first = lab.publish(UniqueRequestToken="item-7")
    code, message = refused(lab.publish, UniqueRequestToken="item-7")
    return code, message.replace(first["HITId"], "3HIT")


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        (
            approve_twice,
            "InvalidAssignmentState",
            "This operation can be called with a status of: Submitted (it is Approved).",
        ),
        (
            reject_after_approval,
            "InvalidAssignmentState",
            "This operation can be called with a status of: Submitted (it is Approved).",
        ),
        (
            read_accepted,
            "InvalidAssignmentState",
            "This operation can be called with a status of: Reviewable,Approved,Rejected "
            "(it is Accepted).",
        ),
        (
            delete_twice,
            "InvalidHITState",
            "This HIT is currently in the state 'Disposed'. "
            "This operation can be called with a status of: Reviewing, Reviewable",
        ),
        (
            delete_undecided,
            "InvalidHITState",
            "This HIT is currently in the state 'Reviewable'. "
            "This operation can be called with a status of: Reviewing, Reviewable, "
            "with every submitted assignment approved or rejected",
        ),
        (
            delete_assignable,
            "InvalidHITState",
            "This HIT is currently in the state 'Assignable'. "
            "This operation can be called with a status of: Reviewing, Reviewable",
        ),
        (
            extend_deleted,
            "InvalidHITState",
            "This HIT is currently in the state 'Disposed'. This operation can be called with a "
            "status of: Assignable, Unassignable, Reviewing, Reviewable",
        ),
        (
            score_of_unknown_type,
            "QualificationTypeDoesNotExist",
            "You requested a Qualification that does not exist. "
            "QualificationType 3NONE does not exist.",
        ),
        (
            score_never_granted,
            "QualificationDoesNotExist",
            "You requested a Qualification that does not exist.",
        ),
        (
            score_of_unknown_worker,
            "QualificationDoesNotExist",
            "You requested a Qualification that does not exist.",
        ),
        (
            score_revoked,
            "InvalidQualificationState",
            "This operation can be called with a status of: Granted (it is Revoked).",
        ),
        (
            revoke_never_granted,
            "QualificationDoesNotExist",
            "You requested a Qualification that does not exist.",
        ),
        (
            create_type_twice,
            "QualificationTypeAlreadyExists",
            "You have already created a QualificationType with this name. A QualificationType's "
            "name must be unique among all of the QualificationTypes created by the same user.",
        ),
        (
            repeat_token,
            "HitAlreadyExists",
            "The HIT with ID 3HIT already exists: it was created by an earlier request with this "
            "UniqueRequestToken.",
        ),
    ],
)
def test_error_has_the_message_that_clients_search(lab, call, code, message):
    assert call(lab) == (code, message)


def test_rejection_without_a_reason_is_accepted(lab, worker):
    lab.mturk.reject_assignment(AssignmentId=lab.assignment, RequesterFeedback="")
    assert Assignment.objects.get().status == "Rejected"
    assert "The requester gave no reason." in worker.messages.get().text


def test_duration_without_a_test_is_accepted(mturk):
    kind = mturk.create_qualification_type(**TYPE, TestDurationInSeconds=60)["QualificationType"]
    assert kind["TestDurationInSeconds"] == 60


@pytest.mark.parametrize("version", ["2006-05-05", "2014-08-15"])
def test_notifications_of_both_versions_are_accepted(site, mturk, publish, version):
    specification = {
        "Destination": f"{site}/hook",
        "Transport": "SNS",
        "Version": version,
        "EventTypes": ["HITReviewable"],
    }
    mturk.update_notification_settings(
        HITTypeId=publish()["HITTypeId"], Notification=specification, Active=True
    )


@pytest.mark.parametrize(
    ("fields_sent", "returned"),
    [
        ({}, {"ActionsGuarded": "Accept", "RequiredToPreview": False}),
        (
            {"RequiredToPreview": True},
            {"ActionsGuarded": "PreviewAndAccept", "RequiredToPreview": True},
        ),
        (
            {"ActionsGuarded": "DiscoverPreviewAndAccept"},
            {"ActionsGuarded": "DiscoverPreviewAndAccept", "RequiredToPreview": False},
        ),
    ],
)
def test_requirement_is_returned_with_its_defaults(mturk, fields_sent, returned):
    requirement = {"QualificationTypeId": "00000000000000000060", "Comparator": "Exists"}
    fields = HIT_TYPE | {"QualificationRequirements": [requirement | fields_sent]}
    hit_type = mturk.create_hit_type(**fields)["HITTypeId"]
    hit = mturk.create_hit_with_hit_type(
        HITTypeId=hit_type, LifetimeInSeconds=60, Question=question()
    )["HIT"]
    assert hit["QualificationRequirements"] == [requirement | returned]
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["QualificationRequirements"] == [
        requirement | returned
    ]
