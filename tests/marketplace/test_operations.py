"""The 39 operations through boto3, with their effects, refusals and error codes."""

from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from marketplace.api import endpoint
from marketplace.api.shapes import operation_names
from marketplace.domain.qualifications.requirements import (
    ADULT,
    APPROVAL_RATE,
    HITS_APPROVED,
    LOCALE,
    SYSTEM,
)
from marketplace.domain.work import maintenance
from marketplace.models import Assignment, Hit

from .conftest import (
    HIT_TYPE,
    accept,
    log_in,
    make_requester,
    make_worker,
    mturk_client,
    question,
    submit,
)
from .question_forms import KEY, TEST

pytestmark = pytest.mark.django_db


def refused(call, **params) -> tuple[str, str]:
    """Make a call that must fail. Return its TurkErrorCode without the prefix, and its message."""
    with pytest.raises(ClientError) as error:
        call(**params)
    response = error.value.response
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert response["Error"]["Code"] == "RequestError"
    code = response["TurkErrorCode"]
    return code.removeprefix("AWS.MechanicalTurk."), response["Error"]["Message"]


def test_every_operation_of_the_model_is_implemented():
    assert set(endpoint.OPERATIONS) == operation_names()
    assert len(operation_names()) == 41  # MTurk's 39 and two of our own


@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        ({"Title": "t" * 129}, "Title"),
        ({"Title": " "}, "Title"),
        ({"Description": "d" * 2001}, "Description"),
        ({"Keywords": "k" * 1001}, "Keywords"),
        ({"Reward": "0.125"}, "Reward"),
        ({"Reward": "-1"}, "Reward"),
        ({"Reward": "1e3"}, "Reward"),
        ({"Reward": "21474836.48"}, "at most 21474836.47"),
        ({"Reward": "999999999.99"}, "at most"),
        ({"AssignmentDurationInSeconds": 29}, "AssignmentDurationInSeconds"),
        ({"AssignmentDurationInSeconds": 31_536_001}, "AssignmentDurationInSeconds"),
        ({"AutoApprovalDelayInSeconds": 2_592_001}, "AutoApprovalDelayInSeconds"),
    ],
)
def test_hit_type_out_of_limits_is_refused(mturk, change, message_part):
    code, message = refused(mturk.create_hit_type, **HIT_TYPE | change)
    assert code == "InvalidParameterValue"
    assert message_part in message


@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        ({"MaxAssignments": 0}, "MaxAssignments"),
        ({"LifetimeInSeconds": 29}, "LifetimeInSeconds"),
        ({"LifetimeInSeconds": 31_536_001}, "LifetimeInSeconds"),
        ({"RequesterAnnotation": "a" * 256}, "RequesterAnnotation"),
        ({"UniqueRequestToken": "t" * 65}, "UniqueRequestToken"),
        ({"Question": question("https://lab.example/" + "x" * 65_535)}, "65535 bytes"),
        ({"Question": question("ftp://lab.example/")}, "https"),
        ({"Question": question("https://user@lab.example/")}, "host"),
        ({"Question": question("https://läb.example/")}, "host"),
        ({"Question": question("https://lab\u2028.example/")}, "character"),
        ({"Question": question("https://lab.example/a\u2028b")}, "character"),
        ({"Question": question("https://lab.example/a b")}, "space"),
        ({"Question": question("https://lab.example;script-src/")}, "host"),
        ({"Question": question("https://lab.example:port/")}, "URL"),
        ({"Question": question().replace("ExternalQuestion", "HTMLQuestion")}, "ExternalQuestion"),
        ({"Question": question().replace(">0<", ">tall<")}, "FrameHeight"),
    ],
)
def test_hit_out_of_limits_is_refused(publish, change, message_part):
    code, message = refused(publish, **change)
    assert code == "InvalidParameterValue"
    assert message_part in message


def test_question_that_is_not_xml_is_refused(publish):
    assert refused(publish, Question="<ExternalQuestion>")[0] == "XMLParseError"


def test_question_with_entities_is_refused(publish):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + question().replace("item=1", "&a;")
    assert refused(publish, Question=bomb)[0] == "XMLParseError"


def test_hit_without_a_question_or_with_an_unknown_layout_is_refused(mturk):
    hit_type = mturk.create_hit_type(**HIT_TYPE)["HITTypeId"]
    of_type = {"HITTypeId": hit_type, "LifetimeInSeconds": 60}
    code, message = refused(mturk.create_hit_with_hit_type, **of_type)
    assert (code, "Question" in message) == ("AWS.MissingParameters", True)
    layout = of_type | {"HITLayoutId": "3LAYOUT"}
    assert refused(mturk.create_hit_with_hit_type, **layout)[0] == "HITLayoutDoesNotExist"


def test_create_hit_creates_its_type_once(mturk):
    fields = HIT_TYPE | {"LifetimeInSeconds": 60, "Question": question(), "Keywords": "verbs"}
    first, second = (mturk.create_hit(**fields)["HIT"] for _ in range(2))
    assert first["HITTypeId"] == second["HITTypeId"]
    assert first["HITGroupId"] != first["HITTypeId"]
    assert (first["MaxAssignments"], first["Keywords"]) == (1, "verbs")
    assert first["Expiration"] - first["CreationTime"] == timedelta(seconds=60)


def test_unknown_hit_is_refused_everywhere(mturk):
    calls = [
        (mturk.get_hit, {}),
        (mturk.list_assignments_for_hit, {}),
        (mturk.delete_hit, {}),
        (mturk.update_expiration_for_hit, {"ExpireAt": 0}),
        (mturk.create_additional_assignments_for_hit, {"NumberOfAdditionalAssignments": 1}),
        (mturk.update_hit_review_status, {}),
        (mturk.list_review_policy_results_for_hit, {}),
        (mturk.list_bonus_payments, {}),
    ]
    assert {refused(call, HITId="3NOSUCH", **parameters)[0] for call, parameters in calls} == {
        "HITDoesNotExist"
    }


@pytest.mark.parametrize("seconds", [-1, 2**31, 2**63 - 1])
@pytest.mark.parametrize("name", ["RetryDelayInSeconds", "TestDurationInSeconds"])
def test_qualification_time_out_of_limits_is_refused(mturk, name, seconds):
    fields = {"Name": "Trained", "Description": "d", "QualificationTypeStatus": "Active"}
    fields |= {"Test": TEST, "TestDurationInSeconds": 600, name: seconds}
    code, message = refused(mturk.create_qualification_type, **fields)
    assert (code, name in message) == ("InvalidParameterValue", True)


def test_too_long_query_is_refused(mturk):
    query = {"Query": "x" * 1_001, "MustBeRequestable": False}
    assert refused(mturk.list_qualification_types, **query)[0] == "InvalidParameterValue"


def test_malformed_identifiers_are_refused(mturk):
    for bad in ("3abc", "3-", "3" * 65):
        assert refused(mturk.get_hit, HITId=bad)[0] == "InvalidParameterValue"
    worker = {"QualificationTypeId": "3A", "WorkerId": "B1"}
    assert refused(mturk.get_qualification_score, **worker)[0] == "InvalidParameterValue"


def test_max_results_is_limited(mturk):
    assert refused(mturk.list_hits, MaxResults=101)[0] == "InvalidParameterValue"
    assert refused(mturk.list_hits, NextToken="made up")[0] == "InvalidParameterValue"


def test_next_token_of_another_operation_is_refused(mturk, publish):
    publish(), publish()
    token = mturk.list_hits(MaxResults=1)["NextToken"]
    assert refused(mturk.list_worker_blocks, NextToken=token)[0] == "InvalidParameterValue"


def test_hit_goes_through_its_states(mturk, publish, browser):
    hit = publish()
    status = lambda: mturk.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"]  # noqa: E731
    assert status() == "Assignable"
    assignment = accept(browser, hit)
    assert status() == "Unassignable"
    submit(browser, assignment)
    assert status() == "Reviewable"
    assert mturk.list_reviewable_hits()["HITs"][0]["HITId"] == hit["HITId"]
    mturk.update_hit_review_status(HITId=hit["HITId"])
    assert status() == "Reviewing"
    assert mturk.list_reviewable_hits()["NumResults"] == 0
    reviewing = mturk.list_reviewable_hits(Status="Reviewing", HITTypeId=hit["HITTypeId"])
    assert reviewing["NumResults"] == 1
    code, _ = refused(mturk.update_hit_review_status, HITId=hit["HITId"])
    assert code == "InvalidHITState"
    mturk.update_hit_review_status(HITId=hit["HITId"], Revert=True)
    assert refused(mturk.delete_hit, HITId=hit["HITId"])[0] == "InvalidHITState"
    mturk.approve_assignment(AssignmentId=assignment)
    mturk.delete_hit(HITId=hit["HITId"])
    assert status() == "Disposed"
    assert mturk.list_hits()["NumResults"] == 0


def test_assignable_hit_cannot_be_deleted(mturk, publish):
    hit = publish()
    assert refused(mturk.delete_hit, HITId=hit["HITId"])[0] == "InvalidHITState"


def test_review_policy_results_are_empty(mturk, publish):
    hit = publish()
    results = mturk.list_review_policy_results_for_hit(HITId=hit["HITId"])
    assert results["HITId"] == hit["HITId"]
    assert "HITReviewReport" not in results


def test_changed_hit_type_changes_the_pay(mturk, publish, browser):
    hit = publish(MaxAssignments=2)
    first = accept(browser, hit)
    dearer = mturk.create_hit_type(**HIT_TYPE | {"Reward": "0.50"})["HITTypeId"]
    mturk.update_hit_type_of_hit(HITId=hit["HITId"], HITTypeId=dearer)
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["Reward"] == "0.50"
    # 0.06 for the assignment that was accepted before, 0.60 for the open one.
    assert mturk.get_account_balance()["OnHoldBalance"] == "0.66"
    submit(browser, first)
    mturk.approve_assignment(AssignmentId=first)
    assert mturk.get_account_balance()["AvailableBalance"] == "999.34"
    second = accept(log_in(make_worker("bob")), {"HITTypeId": dearer})
    assert Assignment.objects.get(code=second).reward_cents == 50


def test_assignment_is_shown_only_once_submitted(mturk, publish, browser):
    hit = publish()
    assignment = accept(browser, hit)
    assert refused(mturk.get_assignment, AssignmentId=assignment)[0] == "InvalidAssignmentState"
    submit(browser, assignment)
    result = mturk.get_assignment(AssignmentId=assignment)
    assert result["Assignment"]["AssignmentStatus"] == "Submitted"
    assert result["HIT"]["HITId"] == hit["HITId"]
    delay = result["Assignment"]["AutoApprovalTime"] - result["Assignment"]["SubmitTime"]
    assert delay == timedelta(days=1)


def test_assignments_are_listed_by_status(mturk, do_hit):
    hit, assignment = do_hit()
    listed = lambda *statuses: mturk.list_assignments_for_hit(  # noqa: E731
        HITId=hit["HITId"], AssignmentStatuses=list(statuses)
    )["NumResults"]
    assert (listed("Submitted"), listed("Approved", "Rejected")) == (1, 0)
    mturk.approve_assignment(AssignmentId=assignment)
    assert (listed("Submitted"), listed("Approved", "Rejected")) == (0, 1)


def test_rejection_needs_a_submitted_assignment(mturk, do_hit, worker):
    hit, assignment = do_hit()
    mturk.reject_assignment(AssignmentId=assignment, RequesterFeedback="No questions")
    twice = refused(mturk.reject_assignment, AssignmentId=assignment, RequesterFeedback="again")
    assert twice[0] == "InvalidAssignmentState"
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert (row["AssignmentStatus"], row["RequesterFeedback"]) == ("Rejected", "No questions")
    assert row["RejectionTime"] >= row["SubmitTime"]
    worker.refresh_from_db()
    assert (worker.approved_count, worker.rejected_count) == (0, 1)


def test_rejection_is_overridden_within_thirty_days(mturk, do_hit):
    _, assignment = do_hit()
    mturk.reject_assignment(AssignmentId=assignment, RequesterFeedback="No questions")
    plain = refused(mturk.approve_assignment, AssignmentId=assignment)
    assert plain[0] == "InvalidAssignmentState"
    long_ago = timezone.now() - timedelta(days=31)
    Assignment.objects.filter(code=assignment).update(submitted_at=long_ago)
    override = {"AssignmentId": assignment, "OverrideRejection": True}
    assert refused(mturk.approve_assignment, **override)[0] == "InvalidAssignmentState"


def test_undecided_assignment_is_approved_automatically(mturk, do_hit):
    hit, assignment = do_hit()
    Assignment.objects.update(auto_approve_at=timezone.now())
    refusal = refused(mturk.reject_assignment, AssignmentId=assignment, RequesterFeedback="late")
    assert refusal[0] == "InvalidAssignmentState"
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert row["AssignmentStatus"] == "Approved"
    assert mturk.get_account_balance()["AvailableBalance"] == "999.94"


def test_file_upload_is_refused(mturk, do_hit):
    _, assignment = do_hit()
    params = {"AssignmentId": assignment, "QuestionIdentifier": "q"}
    assert refused(mturk.get_file_upload_url, **params)[0] == "InvalidQuestionIdentifier"


@pytest.mark.parametrize("amount", ["0.125", "0", "-1", "five", "10000.01"])
def test_bonus_with_an_invalid_amount_is_refused(mturk, do_hit, worker, amount):
    _, assignment = do_hit()
    bonus = {"WorkerId": worker.code, "AssignmentId": assignment, "Reason": "r"}
    code, _ = refused(mturk.send_bonus, BonusAmount=amount, **bonus)
    assert code == "InvalidParameterValue"


def test_bonus_goes_to_the_worker_of_the_assignment(mturk, publish, browser, worker):
    hit = publish()
    assignment = accept(browser, hit)
    bonus = {"AssignmentId": assignment, "BonusAmount": "0.05", "Reason": "r"}
    early = refused(mturk.send_bonus, WorkerId=worker.code, **bonus)
    assert early[0] == "InvalidAssignmentState"
    submit(browser, assignment)
    other = refused(mturk.send_bonus, WorkerId=make_worker("bob").code, **bonus)
    assert other[0] == "InvalidParameterValue"
    mturk.send_bonus(WorkerId=worker.code, **bonus)
    assert mturk.list_bonus_payments(HITId=hit["HITId"])["NumResults"] == 1


def test_bonus_is_payable_for_six_months(mturk, do_hit, worker):
    _, assignment = do_hit()
    Assignment.objects.update(submitted_at=timezone.now() - timedelta(days=184))
    bonus = {"WorkerId": worker.code, "AssignmentId": assignment, "BonusAmount": "1", "Reason": "r"}
    assert "six months" in refused(mturk.send_bonus, **bonus)[1]


def test_bonus_beyond_the_balance_is_refused_and_leaves_no_trace(mturk, do_hit, worker):
    _, assignment = do_hit()
    bonus = {
        "WorkerId": worker.code,
        "AssignmentId": assignment,
        "BonusAmount": "999.00",
        "Reason": "r",
        "UniqueRequestToken": "t",
    }
    assert refused(mturk.send_bonus, **bonus)[0] == "InsufficientFunds"
    assert mturk.list_bonus_payments(AssignmentId=assignment)["NumResults"] == 0
    # The failed attempt has not used the token.
    mturk.send_bonus(**bonus | {"BonusAmount": "1.00"})


def test_bonus_payments_need_a_hit_or_an_assignment(mturk):
    assert refused(mturk.list_bonus_payments)[0] == "InvalidParameterValue"


def test_publishing_beyond_the_balance_is_refused(publish, mturk):
    assert refused(publish, Reward="1000.00")[0] == "InsufficientFunds"
    assert mturk.list_hits()["NumResults"] == 0


@pytest.mark.parametrize(
    ("reward", "assignments", "on_hold"),
    [
        ("0.05", 1, "0.06"),
        ("0.01", 1, "0.02"),
        ("0.00", 1, "0.01"),
        ("0.12", 1, "0.14"),
        ("0.13", 1, "0.16"),
        ("0.05", 9, "0.54"),
        ("0.05", 10, "0.70"),
        ("1", 2, "2.40"),
    ],
)
def test_fee_by_reward_and_assignments(publish, mturk, reward, assignments, on_hold):
    publish(Reward=reward, MaxAssignments=assignments)
    assert mturk.get_account_balance()["OnHoldBalance"] == on_hold


def test_qualification_type_is_created_updated_and_deleted(mturk, worker):
    fields = {"Name": "Trained", "Description": "d", "QualificationTypeStatus": "Active"}
    created = mturk.create_qualification_type(**fields, Keywords="qa", RetryDelayInSeconds=60)
    kind = created["QualificationType"]["QualificationTypeId"]
    repeated = refused(mturk.create_qualification_type, **fields)
    assert repeated[0] == "QualificationTypeAlreadyExists"
    changed = mturk.update_qualification_type(
        QualificationTypeId=kind, Description="new", QualificationTypeStatus="Inactive"
    )["QualificationType"]
    assert (changed["Description"], changed["QualificationTypeStatus"]) == ("new", "Inactive")
    assert (changed["Name"], changed["RetryDelayInSeconds"]) == ("Trained", 60)
    current = mturk.get_qualification_type(QualificationTypeId=kind)["QualificationType"]
    assert current == changed
    listed = mturk.list_qualification_types(
        Query="trained", MustBeRequestable=True, MustBeOwnedByCaller=True
    )
    assert [row["QualificationTypeId"] for row in listed["QualificationTypes"]] == [kind]
    mturk.delete_qualification_type(QualificationTypeId=kind)
    deleted = refused(mturk.get_qualification_type, QualificationTypeId=kind)
    assert deleted[0] == "QualificationTypeDoesNotExist"
    assert mturk.create_qualification_type(**fields)["QualificationType"]["Name"] == "Trained"


@pytest.mark.parametrize(
    "change",
    [
        {"Test": TEST},
        {"AnswerKey": KEY},
        {"Test": TEST, "TestDurationInSeconds": 60, "AutoGranted": True},
        {"Name": "n" * 201},
        {"Description": "d" * 2001},
        {"Keywords": "k" * 1001},
        {"Test": "x" * 65_536, "TestDurationInSeconds": 60},
    ],
)
def test_qualification_type_out_of_limits_is_refused(mturk, change):
    fields = {"Name": "n", "Description": "d", "QualificationTypeStatus": "Active"} | change
    assert refused(mturk.create_qualification_type, **fields)[0] == "InvalidParameterValue"


@pytest.fixture
def trained(mturk) -> str:
    return mturk.create_qualification_type(
        Name="Trained", Description="d", QualificationTypeStatus="Active", RetryDelayInSeconds=60
    )["QualificationType"]["QualificationTypeId"]


def test_grant_is_read_changed_and_revoked(mturk, worker, trained):
    ids = {"QualificationTypeId": trained, "WorkerId": worker.code}
    missing = refused(mturk.get_qualification_score, **ids)
    assert missing[0] == "QualificationDoesNotExist"
    mturk.associate_qualification_with_worker(**ids, IntegerValue=70)
    assert worker.messages.count() == 1
    mturk.associate_qualification_with_worker(**ids, IntegerValue=90, SendNotification=False)
    assert worker.messages.count() == 1
    qualification = mturk.get_qualification_score(**ids)["Qualification"]
    assert (qualification["IntegerValue"], qualification["Status"]) == (90, "Granted")
    mturk.disassociate_qualification_from_worker(**ids, Reason="retired")
    revoked = refused(mturk.get_qualification_score, **ids)
    assert revoked[0] == "InvalidQualificationState"
    twice = refused(mturk.disassociate_qualification_from_worker, **ids)
    assert twice[0] == "InvalidQualificationState"
    unknown = refused(
        mturk.associate_qualification_with_worker, QualificationTypeId=trained, WorkerId="ANOBODY"
    )
    assert unknown[0] == "WorkerDoesNotExist"


def test_request_for_a_qualification_is_decided(mturk, worker, browser, trained):
    page = f"/hits/qualifications/{trained}/request/"
    browser.post(page, {"answer": "please"})
    (waiting,) = mturk.list_qualification_requests(QualificationTypeId=trained)[
        "QualificationRequests"
    ]
    assert (waiting["WorkerId"], waiting["Answer"]) == (worker.code, "please")
    mturk.reject_qualification_request(
        QualificationRequestId=waiting["QualificationRequestId"], Reason="not yet"
    )
    assert mturk.list_qualification_requests()["NumResults"] == 0
    again = browser.post(page, {"answer": "now?"})
    assert "again at" in again.content.decode()
    worker.requests.update(submitted_at=timezone.now() - timedelta(minutes=2))
    browser.post(page, {"answer": "now?"})
    (waiting,) = mturk.list_qualification_requests()["QualificationRequests"]
    request_id = waiting["QualificationRequestId"]
    mturk.accept_qualification_request(QualificationRequestId=request_id, IntegerValue=5)
    ids = {"QualificationTypeId": trained, "WorkerId": worker.code}
    assert mturk.get_qualification_score(**ids)["Qualification"]["IntegerValue"] == 5
    decided = refused(mturk.accept_qualification_request, QualificationRequestId=request_id)
    assert decided[0] == "InvalidQualificationRequestState"


def test_type_without_retry_delay_is_requested_once(mturk, worker, browser):
    kind = mturk.create_qualification_type(
        Name="Once", Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    browser.post(f"/hits/qualifications/{kind}/request/", {})
    (waiting,) = mturk.list_qualification_requests()["QualificationRequests"]
    mturk.reject_qualification_request(QualificationRequestId=waiting["QualificationRequestId"])
    again = browser.post(f"/hits/qualifications/{kind}/request/", {})
    assert "only be requested once" in again.content.decode()


def test_auto_granted_type_is_granted_immediately(mturk, worker, browser):
    kind = mturk.create_qualification_type(
        Name="Open",
        Description="d",
        QualificationTypeStatus="Active",
        AutoGranted=True,
        AutoGrantedValue=3,
    )["QualificationType"]["QualificationTypeId"]
    browser.post(f"/hits/qualifications/{kind}/request/", {})
    ids = {"QualificationTypeId": kind, "WorkerId": worker.code}
    assert mturk.get_qualification_score(**ids)["Qualification"]["IntegerValue"] == 3


def test_hits_are_listed_by_required_qualification(mturk, publish, trained):
    asks = {"QualificationTypeId": trained, "Comparator": "Exists"}
    matching = publish(QualificationRequirements=[asks])
    publish()
    listed = mturk.list_hits_for_qualification_type(QualificationTypeId=trained)
    assert [hit["HITId"] for hit in listed["HITs"]] == [matching["HITId"]]
    defaults = {"ActionsGuarded": "Accept", "RequiredToPreview": False}
    assert listed["HITs"][0]["QualificationRequirements"] == [asks | defaults]


def test_hits_are_not_listed_by_an_unknown_qualification(mturk, publish, trained):
    listed = mturk.list_hits_for_qualification_type
    assert listed(QualificationTypeId=trained)["NumResults"] == 0
    publish(QualificationRequirements=[{"QualificationTypeId": ADULT, "Comparator": "Exists"}])
    assert listed(QualificationTypeId=ADULT)["NumResults"] == 1
    assert refused(listed, QualificationTypeId="3NOSUCH")[0] == "QualificationTypeDoesNotExist"


def test_system_qualification_types_are_returned(mturk, trained):
    locale = mturk.get_qualification_type(QualificationTypeId=LOCALE)["QualificationType"]
    assert (locale["Name"], locale["IsRequestable"]) == ("Worker_Locale", False)
    assert locale["QualificationTypeStatus"] == "Active"
    paginator = mturk.get_paginator("list_qualification_types")

    def ids(**params) -> list[str]:
        pages = paginator.paginate(**params, PaginationConfig={"PageSize": 2})
        return [row["QualificationTypeId"] for page in pages for row in page["QualificationTypes"]]

    assert ids(MustBeRequestable=False) == [trained, *SYSTEM]
    assert ids(MustBeRequestable=False, Query="worker_ APPROVED") == [APPROVAL_RATE, HITS_APPROVED]
    assert ids(MustBeRequestable=True) == [trained]
    assert ids(MustBeRequestable=False, MustBeOwnedByCaller=True) == [trained]
    code, _ = refused(mturk.delete_qualification_type, QualificationTypeId=LOCALE)
    assert code == "QualificationTypeDoesNotExist"


def test_deleted_qualification_type_deletes_its_hit_types(mturk, publish, trained, worker, browser):
    fields = {
        "QualificationRequirements": [{"QualificationTypeId": trained, "Comparator": "Exists"}]
    }
    hit = publish(**fields)
    other = publish()
    ids = {"QualificationTypeId": trained, "WorkerId": worker.code}
    mturk.associate_qualification_with_worker(**ids)
    mturk.delete_qualification_type(QualificationTypeId=trained)
    hit_fields = {"LifetimeInSeconds": 60, "Question": question()}
    of_type = {"HITTypeId": hit["HITTypeId"]} | hit_fields
    assert refused(mturk.create_hit_with_hit_type, **of_type)[0] == "HITTypeDoesNotExist"
    assert refused(publish, **fields)[0] == "QualificationTypeDoesNotExist"
    mturk.create_hit_with_hit_type(**of_type | {"HITTypeId": other["HITTypeId"]})
    # Its HIT remains available to qualified workers.
    assignment = accept(browser, hit)
    submit(browser, assignment)
    mturk.approve_assignment(AssignmentId=assignment)
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsCompleted"] == 1


def test_mturk_addresses_of_a_group_lead_to_its_page(publish, browser, client):
    hit = publish()
    page = f"/hits/groups/{hit['HITTypeId']}/"
    for address in (
        f"/mturk/preview?groupId={hit['HITGroupId']}",
        f"/mturk/preview?groupId={hit['HITTypeId']}",
        f"/projects/{hit['HITGroupId']}/tasks",
    ):
        assert browser.get(address).url == page
        assert client.get(address, follow=True).redirect_chain[-1][0].startswith("/hits/login/")
    assert hit["Title"] in browser.get(page).content.decode()
    for unknown in ("/mturk/preview", "/mturk/preview?groupId=3NO", "/projects/3NO/tasks"):
        assert browser.get(unknown).status_code == 404


def test_requirement_on_an_unknown_type_is_refused(publish):
    asks = {"QualificationTypeId": "3NOSUCH", "Comparator": "Exists"}
    code, _ = refused(publish, QualificationRequirements=[asks])
    assert code == "QualificationTypeDoesNotExist"


def test_blocked_worker_gets_no_hit_of_the_requester(mturk, publish, browser, worker, site):
    hit = publish()
    mturk.create_worker_block(WorkerId=worker.code, Reason="spam")
    assert mturk.list_worker_blocks()["WorkerBlocks"] == [
        {"WorkerId": worker.code, "Reason": "spam"}
    ]
    assert hit["HITTypeId"] not in browser.get("/hits/").content.decode()
    assert browser.post(f"/hits/groups/{hit['HITTypeId']}/accept/").url == "/hits/"
    mturk.delete_worker_block(WorkerId=worker.code)
    mturk.delete_worker_block(WorkerId=worker.code)
    assert mturk.list_worker_blocks()["NumResults"] == 0
    accept(browser, hit)


@pytest.mark.parametrize(
    "change", [{"Subject": "s" * 201}, {"MessageText": "t" * 4097}, {"WorkerIds": ["A1"] * 101}]
)
def test_message_out_of_limits_is_refused(mturk, change):
    message = {"Subject": "s", "MessageText": "t", "WorkerIds": ["A1"]} | change
    assert refused(mturk.notify_workers, **message)[0] == "InvalidParameterValue"


def test_missing_parameters_are_named(mturk, site):
    import json

    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.httpsession import URLLib3Session

    credentials = mturk._request_signer._credentials
    request = AWSRequest(
        "POST",
        f"{site}/mturk/",
        headers={"X-Amz-Target": "MTurkRequesterServiceV20170117.SendBonus"},
        data=json.dumps({"WorkerId": "A1", "Reason": 7}),
    )
    SigV4Auth(credentials, "mturk-requester", "us-east-1").add_auth(request)
    answer = URLLib3Session().send(request.prepare())
    body = json.loads(answer.content)
    assert (answer.status_code, body["TurkErrorCode"]) == (400, "AWS.MissingParameters")
    assert "BonusAmount, AssignmentId" in body["Message"]


def test_token_can_be_reused_after_a_day(mturk, publish, do_hit, worker):
    from marketplace.models import RequestToken

    publish(UniqueRequestToken="item-7")
    RequestToken.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))
    publish(UniqueRequestToken="item-7")
    assert mturk.list_hits()["NumResults"] == 2
    assert refused(publish, UniqueRequestToken="item-7")[0] == "HitAlreadyExists"


def test_requester_cannot_access_objects_of_another(mturk, do_hit, trained, site, worker):
    hit, assignment = do_hit()
    other = mturk_client(site, *make_requester("other")[1:])
    assert other.list_hits()["NumResults"] == 0
    assert other.list_reviewable_hits()["NumResults"] == 0
    hits = [
        (other.get_hit, {}),
        (other.list_assignments_for_hit, {}),
        (other.delete_hit, {}),
        (other.update_expiration_for_hit, {"ExpireAt": 0}),
        (other.create_additional_assignments_for_hit, {"NumberOfAdditionalAssignments": 1}),
        (other.list_bonus_payments, {}),
    ]
    for call, parameters in hits:
        assert refused(call, HITId=hit["HITId"], **parameters)[0] == "HITDoesNotExist"
    assignments = [
        (other.get_assignment, {}),
        (other.approve_assignment, {}),
        (other.reject_assignment, {"RequesterFeedback": "mine"}),
        (other.list_bonus_payments, {}),
        (other.send_bonus, {"WorkerId": worker.code, "BonusAmount": "1", "Reason": "r"}),
    ]
    for call, parameters in assignments:
        code, _ = refused(call, AssignmentId=assignment, **parameters)
        assert code == "AssignmentDoesNotExist"
    types = [
        (other.create_hit_with_hit_type, {"LifetimeInSeconds": 60, "Question": question()}),
        (other.update_notification_settings, {"Active": True}),
    ]
    for call, parameters in types:
        assert refused(call, HITTypeId=hit["HITTypeId"], **parameters)[0] == "HITTypeDoesNotExist"
    grants = [
        (other.list_workers_with_qualification_type, {}),
        (other.update_qualification_type, {"Description": "mine"}),
        (other.delete_qualification_type, {}),
        (other.associate_qualification_with_worker, {"WorkerId": worker.code}),
        (other.get_qualification_score, {"WorkerId": worker.code}),
    ]
    for call, parameters in grants:
        code, _ = refused(call, QualificationTypeId=trained, **parameters)
        assert code == "QualificationTypeDoesNotExist"
    failures = other.notify_workers(Subject="s", MessageText="t", WorkerIds=[worker.code])
    assert len(failures["NotifyWorkersFailureStatuses"]) == 1


def test_expiration_is_set_to_the_second(mturk, publish):
    hit = publish()
    at = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=at)
    assert Hit.objects.get().expires_at == at


def test_past_expiration_ends_a_hit_now_and_keeps_its_results(mturk, do_hit):
    hit, assignment = do_hit(MaxAssignments=2)
    mturk.approve_assignment(AssignmentId=assignment)
    before = timezone.now()
    for year in (1970, 2015):
        past = datetime(year, 1, 1, tzinfo=UTC)
        mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=past)
    row = Hit.objects.get()
    assert before <= row.expires_at <= timezone.now()
    maintenance.run_due(now=timezone.now())
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"] == "Reviewable"
    maintenance.run_due(now=row.expires_at + maintenance.DISPOSE_AFTER)
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"] == "Disposed"


def test_inactive_types_of_other_requesters_are_not_listed(site, mturk):
    other = mturk_client(site, *make_requester("other")[1:])
    terms = {"Description": "Passed the screening", "QualificationTypeStatus": "Active"}
    kind = other.create_qualification_type(Name="Secret round", **terms)["QualificationType"]

    def names(client) -> list[str]:
        listed = client.list_qualification_types(MustBeRequestable=True)["QualificationTypes"]
        return [entry["Name"] for entry in listed]

    assert names(mturk) == ["Secret round"]
    other.update_qualification_type(
        QualificationTypeId=kind["QualificationTypeId"], QualificationTypeStatus="Inactive"
    )
    assert names(mturk) == []
    assert names(other) == ["Secret round"]
    other.close()
