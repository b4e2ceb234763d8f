"""All operations with each kind of question, and the main flows of tools.

The last test compares the results with the documentation page. With UPDATE_DOCS=1 it writes the
page instead.
"""

import json
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from uuid import uuid4
from xml.sax.saxutils import escape

import pytest
from botocore.exceptions import ClientError
from defusedxml.ElementTree import fromstring
from django.test import Client
from django.utils import timezone

from marketplace.api.shapes import operation_names
from marketplace.models import QualificationRequest, QualificationType, WorkerAccount
from tests.marketplace.compatibility import PAGE, Boto3, CommandLine, Results

from .conftest import accept, frame_query, question, submit
from .question_forms import form_question, free_text, question_form
from .test_html_question import html_question

pytestmark = pytest.mark.django_db

RESULTS = Results()
Call = Callable[..., Any]
PAST = datetime(2015, 1, 1)  # noqa: DTZ001 - clients send such dates


@pytest.fixture
def environment(requester, monkeypatch, tmp_path, settings) -> None:
    """Set the environment variables of the AWS CLI."""
    variables = {
        "AWS_ACCESS_KEY_ID": requester[1],
        "AWS_SECRET_ACCESS_KEY": requester[2],
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_MAX_ATTEMPTS": "1",
        "AWS_PAGER": "",
        # awscli set the variable when it was imported.
        "AWS_DATA_PATH": f"{os.environ['AWS_DATA_PATH']}{os.pathsep}{settings.MTURK_API_EXTRAS}",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_PROFILE", raising=False)


@pytest.fixture(params=["boto3", "AWS CLI"])
def client(request, mturk, site, environment) -> Boto3 | CommandLine:
    return Boto3(mturk) if request.param == "boto3" else CommandLine(site)


def form() -> str:
    return question_form(form_question("colour", free_text()))


def submit_form(browser: Client, assignment: str) -> Any:
    """Submit the marketplace's own page of a QuestionForm."""
    return browser.post(f"/hits/work/{assignment}/answers/", {"question_1": "blue"}, follow=True)


# The question, and the function that submits it as a worker.
QUESTIONS: dict[str, tuple[Callable[[], str], Callable[..., Any]]] = {
    "ExternalQuestion": (question, submit),
    "HTMLQuestion": (html_question, submit),
    "QuestionForm": (form, submit_form),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_all_operations(client, kind, browser, worker, content):
    accepted: set[str] = set()
    refused: set[str] = set()

    def call(operation: str, **parameters: Any) -> Any:
        result = client(operation, **parameters)
        (refused if isinstance(result, str) else accepted).add(operation)
        return result

    make_question, submit_work = QUESTIONS[kind]
    trained = _grant_qualification(call, worker)
    first, second, notification = _publish(call, trained, make_question(), content)
    assignment = accept(browser, first)
    assert submit_work(browser, assignment).status_code == 200
    _review(call, first, assignment, worker)
    _exchange_messages(call, browser, assignment, worker)
    balance = _clean_up(call, [first["HITId"], second], trained, worker, notification)
    # 1000.00 - (0.05 + 0.01) - (0.10 + 0.02), and nothing on hold.
    assert balance == {"AvailableBalance": "999.82", "OnHoldBalance": "0.00"}
    assert accepted | refused == set(operation_names())
    assert refused - accepted == {"GetFileUploadURL"}
    RESULTS.add_run(f"{kind}, {client.name}", accepted, refused - accepted)


def _clean_up(
    call: Call,
    hit_ids: list[str],
    trained: str,
    worker: WorkerAccount,
    notification: dict[str, Any],
) -> Any:
    """Delete all created objects. Return the balance."""
    call("SendTestEventNotification", Notification=notification, TestEventType="Ping")
    call("CreateWorkerBlock", WorkerId=worker.code, Reason="r")
    assert len(call("ListWorkerBlocks")["WorkerBlocks"]) == 1
    call("DeleteWorkerBlock", WorkerId=worker.code)
    call("UpdateExpirationForHIT", HITId=hit_ids[-1], ExpireAt=0)
    for hit_id in hit_ids:
        call("DeleteHIT", HITId=hit_id)
    assert call("ListHITs")["HITs"] == []
    call("DisassociateQualificationFromWorker", QualificationTypeId=trained, WorkerId=worker.code)
    call("DeleteQualificationType", QualificationTypeId=trained)
    return call("GetAccountBalance")


def _grant_qualification(call: Call, worker: WorkerAccount) -> str:
    fields = {"Name": "Trained", "Description": "d", "QualificationTypeStatus": "Active"}
    created = call("CreateQualificationType", **fields)["QualificationType"]
    trained: str = created["QualificationTypeId"]
    of_type = {"QualificationTypeId": trained}
    of_worker = of_type | {"WorkerId": worker.code}
    call("UpdateQualificationType", **of_type, Description="Passed", RetryDelayInSeconds=0)
    updated = call("GetQualificationType", **of_type)["QualificationType"]
    assert updated["Description"] == "Passed"
    listed = call("ListQualificationTypes", MustBeRequestable=True, MustBeOwnedByCaller=True)
    assert [row["QualificationTypeId"] for row in listed["QualificationTypes"]] == [trained]
    for decision in ("Reject", "Accept"):
        QualificationRequest.objects.create(
            code=f"3{decision.upper()}",
            qualification_type=QualificationType.objects.get(code=trained),
            worker=worker,
            submitted_at=timezone.now(),
        )
        (waiting,) = call("ListQualificationRequests")["QualificationRequests"]
        request_id = waiting["QualificationRequestId"]
        call(f"{decision}QualificationRequest", QualificationRequestId=request_id)
    assert call("GetQualificationScore", **of_worker)["Qualification"]["IntegerValue"] == 1
    call("AssociateQualificationWithWorker", **of_worker, IntegerValue=5)
    qualifications = call("ListWorkersWithQualificationType", **of_type)["Qualifications"]
    assert [row["IntegerValue"] for row in qualifications] == [5]
    return trained


def _publish(
    call: Call, trained: str, question: str, site: str
) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """Publish two HITs. Return the first, the id of the second, and a notification."""
    common = {
        "Title": "Ask",
        "Description": "d",
        "Reward": "0.05",
        "AssignmentDurationInSeconds": 600,
        "QualificationRequirements": [{"QualificationTypeId": trained, "Comparator": "Exists"}],
    }
    hit_type = call("CreateHITType", **common)["HITTypeId"]
    new = {"LifetimeInSeconds": 3600, "Question": question}
    first = call("CreateHIT", **common, **new)["HIT"]
    assert first["HITTypeId"] == hit_type
    second = call("CreateHITWithHITType", HITTypeId=hit_type, MaxAssignments=2, **new)["HIT"]
    assert second["Question"] == question
    of_second = {"HITId": second["HITId"]}
    other = call("CreateHITType", **common | {"Reward": "0.06"})["HITTypeId"]
    call("UpdateHITTypeOfHIT", **of_second, HITTypeId=other)
    call("CreateAdditionalAssignmentsForHIT", **of_second, NumberOfAdditionalAssignments=1)
    assert call("GetHIT", **of_second)["HIT"]["MaxAssignments"] == 3
    assert len(call("ListHITs")["HITs"]) == 2
    assert len(call("ListHITsForQualificationType", QualificationTypeId=trained)["HITs"]) == 2
    notification = {
        "Destination": f"{site}/hook",
        "Transport": "SNS",
        "Version": "2014-08-15",
        "EventTypes": ["AssignmentSubmitted"],
    }
    fields = {"HITTypeId": hit_type, "Notification": notification, "Active": True}
    assert call("UpdateNotificationSettings", **fields) == {}
    return first, second["HITId"], notification


def _review(call: Call, hit: dict[str, Any], assignment: str, worker: WorkerAccount) -> None:
    of_hit = {"HITId": hit["HITId"]}
    assert call("ListReviewableHITs")["HITs"][0]["HITId"] == hit["HITId"]
    call("UpdateHITReviewStatus", **of_hit)
    assert call("GetAssignment", AssignmentId=assignment)["HIT"]["HITStatus"] == "Reviewing"
    (row,) = call("ListAssignmentsForHIT", **of_hit)["Assignments"]
    assert row["AssignmentId"] == assignment
    assert fields_of(row["Answer"])
    assert "RequestError" in call(
        "GetFileUploadURL", AssignmentId=assignment, QuestionIdentifier="q"
    )
    assert call("ListReviewPolicyResultsForHIT", **of_hit)["HITId"] == hit["HITId"]
    call("RejectAssignment", AssignmentId=assignment, RequesterFeedback="no")
    call("ApproveAssignment", AssignmentId=assignment, OverrideRejection=True)
    bonus = {"WorkerId": worker.code, "AssignmentId": assignment, "UniqueRequestToken": "t"}
    review = {"WorkerId": worker.code, "AssignmentId": assignment, "BonusAmount": "0.10"}
    for status in ("Reviewing", "Declined", "Accepted"):
        call("UpdateBonusStatus", **review, Status=status, Reason="r")
    call("SendBonus", **bonus, BonusAmount="0.10", Reason="r")
    assert "RequestError" in call("SendBonus", **bonus, BonusAmount="0.10", Reason="r")
    payments = call("ListBonusPayments", **of_hit)["BonusPayments"]
    assert [row["BonusAmount"] for row in payments] == ["0.10"]


def _exchange_messages(call: Call, browser: Client, assignment: str, worker: WorkerAccount) -> None:
    """Write to the requester about an assignment, then to the worker."""
    browser.post(browser.get(f"/hits/history/{assignment}/ask/").url, {"text": "Why so little?"})
    (message,) = call("ListWorkerMessages", WorkerId=worker.code)["WorkerMessages"]
    assert message["MessageText"] == "Why so little?"
    result = call("NotifyWorkers", Subject="s", MessageText="t", WorkerIds=[worker.code])
    assert result == {"NotifyWorkersFailureStatuses": []}


def test_wrong_secret_is_explained_on_the_command_line(site, environment, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    assert "InvalidSignatureException" in CommandLine(site)("GetAccountBalance")


@pytest.fixture
def tool(mturk) -> Iterator[Callable[[str, str, str], None]]:
    """Return a function that stores the tool, its question and its submission.

    If the test passes, they are added to the page.
    """
    operations: list[str] = []
    description: list[str] = []

    def note(model: Any, http_response: Any, **_: Any) -> None:
        if http_response.status_code == 200 and model.name not in operations:
            operations.append(model.name)

    mturk.meta.events.register("after-call.mturk", note)
    yield lambda *values: description.extend(values)
    if description:
        RESULTS.add_tool(*description, operations=operations)


def fields_of(answer: str) -> dict[str, str]:
    """Return the fields of QuestionFormAnswers."""
    root = fromstring(answer)
    space = root.tag.partition("}")[0] + "}"
    return {
        entry.findtext(f"{space}QuestionIdentifier", ""): entry.findtext(f"{space}FreeText", "")
        for entry in root
    }


def pages(mturk: Any, operation: str, **parameters: Any) -> list[dict[str, Any]]:
    paginator = mturk.get_paginator(operation)
    return list(paginator.paginate(**parameters))


def test_amti(mturk, browser, content, tool):
    """A batch of HTML questions is created, monitored, approved, saved and deleted."""
    hit_type = mturk.create_hit_type(
        Title="Rate a sentence",
        Keywords="text, rating",
        Description="Rate how natural a sentence is.",
        Reward="0.10",
        AutoApprovalDelayInSeconds=2_592_000,
        AssignmentDurationInSeconds=3_600,
        QualificationRequirements=[
            {
                "QualificationTypeId": "00000000000000000071",
                "Comparator": "In",
                "LocaleValues": [{"Country": "US"}],
                "ActionsGuarded": "DiscoverPreviewAndAccept",
            }
        ],
    )["HITTypeId"]
    batch = f"batch={uuid4()}"
    hits = [
        mturk.create_hit_with_hit_type(
            HITTypeId=hit_type,
            MaxAssignments=1,
            LifetimeInSeconds=86_400,
            RequesterAnnotation=batch,
            Question=html_question(),
        )["HIT"]
        for _ in range(3)
    ]
    for _ in hits:
        submit(browser, accept(browser, hits[0]), rating="4")
    for hit in hits:
        details = mturk.get_hit(HITId=hit["HITId"])["HIT"]
        assert (details["HITStatus"], details["RequesterAnnotation"]) == ("Reviewable", batch)
        for page in pages(mturk, "list_assignments_for_hit", HITId=hit["HITId"]):
            for assignment in page["Assignments"]:
                assert fields_of(assignment["Answer"]) == {"rating": "4"}
                mturk.approve_assignment(
                    AssignmentId=assignment["AssignmentId"], OverrideRejection=False
                )
        mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=PAST)
        mturk.delete_hit(HITId=hit["HITId"])
    tool("amti", "`HTMLQuestion`", "form of the page to `externalSubmit`")


def test_simple_amt(mturk, browser, content, tool):
    """A script in the HTML question sends JSON in one field. Commands for single HITs follow."""
    assert mturk.get_account_balance()["AvailableBalance"] == "1000.00"
    form = (
        "<!DOCTYPE html><form id='results' method='post'>"
        "<input type='hidden' name='assignmentId'><input type='hidden' name='output'></form>"
    )
    common = {
        "Title": "Describe a picture",
        "Description": "Write a sentence about a picture.",
        "Keywords": "image",
        "Reward": "0.05",
        "AssignmentDurationInSeconds": 600,
        "LifetimeInSeconds": 86_400,
        "Question": html_question(form),
        "QualificationRequirements": [
            {
                "QualificationTypeId": "000000000000000000L0",
                "Comparator": "GreaterThanOrEqualTo",
                "IntegerValues": [90],
            }
        ],
    }
    first, second = (mturk.create_hit(**common, MaxAssignments=2)["HIT"] for _ in range(2))
    output = json.dumps({"text": "A dog."})
    assignment = accept(browser, first)
    assert submit(browser, assignment, output=output).status_code == 200
    progress = mturk.get_hit(HITId=first["HITId"])["HIT"]
    assert progress["MaxAssignments"] - progress["NumberOfAssignmentsAvailable"] == 1
    result_pages = pages(mturk, "list_assignments_for_hit", HITId=first["HITId"])
    (row,) = [row for page in result_pages for row in page["Assignments"]]
    assert json.loads(fields_of(row["Answer"])["output"]) == {"text": "A dog."}
    mturk.reject_assignment(AssignmentId=assignment, RequesterFeedback="")
    mturk.approve_assignment(AssignmentId=assignment, OverrideRejection=True)
    for hit in (first, second):  # as the disable command does
        mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=PAST)
        mturk.delete_hit(HITId=hit["HITId"])
    assert mturk.list_hits()["HITs"] == []
    tool("simple-amt", "`HTMLQuestion`", "JSON in the field `output`")


def test_psiturk(mturk, browser, worker, tool):
    """The frame shows an advertisement, and a window the experiment. The form has only ids."""
    mturk.get_account_balance()
    hit = mturk.create_hit(
        Title="A psychology experiment",
        Description="Judge words.",
        Keywords="psychology",
        Reward="1.00",
        MaxAssignments=3,
        AutoApprovalDelayInSeconds=3_600,
        AssignmentDurationInSeconds=7_200,
        LifetimeInSeconds=86_400,
        Question=question("https://lab.example/pub?mode=live"),
        QualificationRequirements=[
            {
                "QualificationTypeId": "00000000000000000040",
                "Comparator": "GreaterThanOrEqualTo",
                "IntegerValues": [0],
            }
        ],
    )["HIT"]
    assignment = accept(browser, hit)
    query = frame_query(browser, assignment)
    assert {"assignmentId", "hitId", "workerId", "turkSubmitTo"} <= set(query)
    fields = {name: query[name] for name in ("hitId", "workerId", "turkSubmitTo")}
    assert submit(browser, assignment, **fields).status_code == 200
    listed = [row["HITId"] for page in pages(mturk, "list_hits") for row in page["HITs"]]
    assert listed == [hit["HITId"]]
    result_pages = pages(
        mturk,
        "list_assignments_for_hit",
        HITId=hit["HITId"],
        AssignmentStatuses=["Submitted", "Approved", "Rejected"],
    )
    (row,) = [row for page in result_pages for row in page["Assignments"]]
    assert row["WorkerId"] == worker.code
    mturk.approve_assignment(AssignmentId=assignment, OverrideRejection=True)
    mturk.send_bonus(
        WorkerId=worker.code,
        AssignmentId=assignment,
        BonusAmount="0.50",
        Reason="Bonus for the experiment",
    )
    mturk.create_additional_assignments_for_hit(HITId=hit["HITId"], NumberOfAdditionalAssignments=2)
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=timezone.now())
    mturk.delete_hit(HITId=hit["HITId"])
    tool("psiTurk", "`ExternalQuestion`", "`assignmentId`, `hitId`, `workerId` and nothing else")


def test_dallinger(mturk, browser, worker, tool):
    """Recruitment goes place by place, with qualifications by name and bonuses with tokens."""
    mturk.get_account_balance()
    description = {"Description": "Experiment", "QualificationTypeStatus": "Active"}
    group = mturk.create_qualification_type(Name="group", **description)["QualificationType"]
    with pytest.raises(ClientError, match="already created a QualificationType with this name"):
        mturk.create_qualification_type(Name="group", **description)
    matches = mturk.list_qualification_types(
        Query="group", MustBeRequestable=False, MustBeOwnedByCaller=True, MaxResults=2
    )["QualificationTypes"]
    assert [row["Name"] for row in matches] == ["group"]
    of_type = {"QualificationTypeId": group["QualificationTypeId"]}
    hit_type = mturk.create_hit_type(
        Title="Pictionary",
        Description="Draw.",
        Keywords="drawing",
        Reward="0.25",
        AssignmentDurationInSeconds=7_200,
        AutoApprovalDelayInSeconds=86_400,
        QualificationRequirements=[
            of_type | {"Comparator": "DoesNotExist", "ActionsGuarded": "PreviewAndAccept"}
        ],
    )["HITTypeId"]
    hit = mturk.create_hit_with_hit_type(
        HITTypeId=hit_type,
        Question=question("https://lab.example/ad?generate_tokens=true"),
        LifetimeInSeconds=86_400,
        MaxAssignments=1,
        UniqueRequestToken=str(uuid4()),
        RequesterAnnotation="experiment 1",
    )["HIT"]
    assignment = accept(browser, hit)
    query = frame_query(browser, assignment)
    fields = {name: query[name] for name in ("hitId", "workerId")}
    assert submit(browser, assignment, **fields).status_code == 200
    of_worker = of_type | {"WorkerId": worker.code}
    with pytest.raises(ClientError, match="You requested a Qualification that does not exist"):
        mturk.get_qualification_score(**of_worker)
    mturk.associate_qualification_with_worker(**of_worker, IntegerValue=1, SendNotification=False)
    assert mturk.get_qualification_score(**of_worker)["Qualification"]["IntegerValue"] == 1
    workers = mturk.list_workers_with_qualification_type(
        **of_type, MaxResults=100, Status="Granted"
    )
    assert [row["WorkerId"] for row in workers["Qualifications"]] == [worker.code]
    mturk.create_additional_assignments_for_hit(
        HITId=hit["HITId"], NumberOfAdditionalAssignments=1, UniqueRequestToken=str(uuid4())
    )
    expires = mturk.get_hit(HITId=hit["HITId"])["HIT"]["Expiration"]
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=expires)
    details = mturk.get_assignment(AssignmentId=assignment)["Assignment"]
    assert details["AssignmentStatus"] == "Submitted"
    mturk.approve_assignment(AssignmentId=assignment)
    mturk.send_bonus(
        WorkerId=worker.code,
        AssignmentId=assignment,
        BonusAmount="0.30",
        Reason="Thanks!",
        UniqueRequestToken=f"{assignment}-bonus"[:64],
    )
    mturk.notify_workers(
        Subject="Thanks", MessageText="Your bonus was paid.", WorkerIds=[worker.code]
    )
    mturk.disassociate_qualification_from_worker(**of_worker, Reason="End of the experiment")
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    mturk.delete_hit(HITId=hit["HITId"])
    mturk.delete_qualification_type(**of_type)
    tool("Dallinger", "`ExternalQuestion`", "`assignmentId`, `hitId`, `workerId` and nothing else")


def test_mephisto(mturk, browser, worker, tool):
    """Qualifications are found or created, lists read to the end, workers blocked and HITs deleted."""
    assert float(mturk.get_account_balance()["AvailableBalance"]) > 1
    for owned in (True, False):
        matches = mturk.list_qualification_types(
            Query="onboarded", MustBeRequestable=True, MustBeOwnedByCaller=owned
        )
        assert matches["QualificationTypes"] == []
    created = mturk.create_qualification_type(
        Name="onboarded", Description="Passed onboarding", QualificationTypeStatus="Active"
    )["QualificationType"]
    of_type = {"QualificationTypeId": created["QualificationTypeId"]}
    hit_type = mturk.create_hit_type(
        Title="Chat",
        Description="Chat with a partner.",
        Keywords="chat,dialog",
        Reward="0.3",
        AutoApprovalDelayInSeconds=604_800,
        AssignmentDurationInSeconds=1_800,
        QualificationRequirements=[
            of_type | {"Comparator": "DoesNotExist", "ActionsGuarded": "DiscoverPreviewAndAccept"},
            {
                "QualificationTypeId": "00000000000000000071",
                "Comparator": "In",
                "LocaleValues": [{"Country": "US"}, {"Country": "GB"}],
                "ActionsGuarded": "DiscoverPreviewAndAccept",
            },
        ],
    )["HITTypeId"]
    url = escape("https://lab.example/?provider=mturk&task=1")
    for _ in range(3):
        hit = mturk.create_hit_with_hit_type(
            HITTypeId=hit_type,
            MaxAssignments=1,
            LifetimeInSeconds=31 * 86_400,
            Question=question("https://lab.example/").replace("https://lab.example/", url),
        )["HIT"]
    assignment = accept(browser, hit)
    data = {"MEPHISTO_AGENT_ID": "7", "final_data": "{}"}
    assert submit(browser, assignment, **data).status_code == 200
    hit_id = mturk.get_assignment(AssignmentId=assignment)["HIT"]["HITId"]
    assert len(mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]) == 1
    mturk.approve_assignment(AssignmentId=assignment, OverrideRejection=False)
    mturk.send_bonus(
        WorkerId=worker.code,
        BonusAmount="0.1",
        AssignmentId=assignment,
        Reason="Good chat",
        UniqueRequestToken=str(uuid4()),
    )
    mturk.associate_qualification_with_worker(
        **of_type, WorkerId=worker.code, IntegerValue=1, SendNotification=False
    )
    mturk.create_worker_block(WorkerId=worker.code, Reason="Spam")
    blocks = mturk.list_worker_blocks(MaxResults=100)["WorkerBlocks"]
    assert [row["WorkerId"] for row in blocks] == [worker.code]
    mturk.delete_worker_block(WorkerId=worker.code, Reason="Mistake")
    page = mturk.list_hits(MaxResults=100)
    hits = page["HITs"]
    while page["HITs"]:  # a token comes with every page that is not empty
        page = mturk.list_hits(MaxResults=100, NextToken=page["NextToken"])
        hits += page["HITs"]
    assert len(hits) == 3
    for hit in hits:
        try:
            mturk.delete_hit(HITId=hit["HITId"])
        except ClientError:
            mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=PAST)
            mturk.delete_hit(HITId=hit["HITId"])
    assert mturk.list_hits()["HITs"] == []
    tool("Mephisto", "`ExternalQuestion`", "fields of the task to `turkSubmitTo`")


def test_otree(mturk, browser, worker, tool):
    """A session is one HIT with many places. Payments are listed before and after they are made."""
    hit = mturk.create_hit(
        Title="Decision making",
        Description="An economics study.",
        Keywords="bonus, study",
        Reward="0.50",
        MaxAssignments=2,
        AssignmentDurationInSeconds=3_600,
        LifetimeInSeconds=604_800,
        UniqueRequestToken=str(uuid4()),
        Question=question("https://lab.example/MTurkStart/x1y2/"),
        QualificationRequirements=[
            {
                "QualificationTypeId": "00000000000000000071",
                "Comparator": "EqualTo",
                "LocaleValues": [{"Country": "US"}],
            }
        ],
    )["HIT"]
    assignment = accept(browser, hit)
    fields = {"Completion": "finished", "payoff": "1.20"}
    assert submit(browser, assignment, **fields).status_code == 200
    rows, parameters = [], {"HITId": hit["HITId"], "MaxResults": 100}
    while True:
        page = mturk.list_assignments_for_hit(
            AssignmentStatuses=["Submitted", "Approved", "Rejected"], **parameters
        )
        if not page["Assignments"]:
            break
        rows += page["Assignments"]
        parameters["NextToken"] = page["NextToken"]
    assert [row["WorkerId"] for row in rows] == [worker.code]
    assert mturk.list_bonus_payments(HITId=hit["HITId"])["BonusPayments"] == []
    mturk.approve_assignment(AssignmentId=assignment)
    mturk.send_bonus(
        WorkerId=worker.code,
        AssignmentId=assignment,
        BonusAmount="1.20",
        Reason="Thank you",
        UniqueRequestToken=f"{worker.code}_{assignment}",
    )
    (bonus,) = mturk.list_bonus_payments(HITId=hit["HITId"])["BonusPayments"]
    assert bonus["BonusAmount"] == "1.20"
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=PAST)
    tool("oTree", "`ExternalQuestion`", "form of the last page to `turkSubmitTo`")


TOOLS = {"amti", "simple-amt", "psiTurk", "Dallinger", "Mephisto", "oTree"}


def test_page_shows_the_results(site):  # `site` makes this test run after the others
    if len(RESULTS.columns) < 2 * len(QUESTIONS) or set(RESULTS.tools) != TOOLS:
        pytest.skip("needs the other tests of this file to have passed")
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(RESULTS.page(), "utf-8")
    assert PAGE.read_text("utf-8") == RESULTS.page(), "Run with UPDATE_DOCS=1 to write the page."
