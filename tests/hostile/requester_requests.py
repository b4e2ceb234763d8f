"""A valid request for each operation of the Requester API, and hostile mutations of it."""

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from django.test import Client
from django.utils import timezone

from tests.marketplace.conftest import HIT_TYPE, accept, log_in, make_worker, question, submit
from tests.marketplace.question_forms import KEY, TEST

SERVICE = "MTurkRequesterServiceV20170117"
SITE = "http://testserver"
CONTENT_TYPE = "application/x-amz-json-1.1"
Params = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A request before it is signed. `tamper` changes the signed headers."""

    target: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    tamper: Callable[[dict[str, str]], object] = lambda headers: None


@dataclass(frozen=True)
class Api:
    """A requester's client in the process of the test."""

    key_id: str
    secret: str
    region: str = "us-east-1"
    service: str = "mturk-requester"
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def send(self, request: Request) -> Any:
        headers = {"X-Amz-Target": request.target} if request.target else {}
        signed = AWSRequest(
            "POST", f"{SITE}/mturk/", headers=headers | request.headers, data=request.body
        )
        credentials = Credentials(self.key_id, self.secret)
        SigV4Auth(credentials, self.service, self.region).add_auth(signed)
        sent = {"Host": "testserver", **signed.headers}
        request.tamper(sent)
        kind = sent.pop("Content-Type", CONTENT_TYPE)
        return self.client.generic("POST", "/mturk/", request.body, content_type=kind, headers=sent)

    def call(self, operation: str, **params: Any) -> Params:
        response = self.send(request_of(operation, params))
        assert response.status_code == 200, response.content
        return json.loads(response.content)


REVIEW_POLICIES = {
    "AssignmentReviewPolicy": {
        "PolicyName": "ScoreMyKnownAnswers/2011-09-01",
        "Parameters": [
            {"Key": "AnswerKey", "MapEntries": [{"Key": "Q1", "Values": ["a", "b"]}]},
            {"Key": "RejectIfKnownAnswerScoreIsLessThan", "Values": ["50"]},
            {"Key": "RejectReason", "Values": ["Wrong."]},
        ],
    },
    "HITReviewPolicy": {
        "PolicyName": "SimplePlurality/2011-09-01",
        "Parameters": [
            {"Key": "QuestionIds", "Values": ["Q1", "Q2"]},
            {"Key": "QuestionAgreementThreshold", "Values": ["50"]},
            {"Key": "DisregardAssignmentIfRejected", "Values": ["T"]},
        ],
    },
}


def request_of(operation: str, params: object) -> Request:
    return Request(f"{SERVICE}.{operation}", json.dumps(params).encode())


def valid_params(api: Api) -> dict[str, Params]:
    """Return parameters that each operation accepts, for objects that it creates."""
    worker = make_worker()
    browser = log_in(worker)
    hit_type = api.call("CreateHITType", **HIT_TYPE)["HITTypeId"]
    other_type = api.call("CreateHITType", **HIT_TYPE | {"Title": "Another title"})["HITTypeId"]
    of_hit = {
        "MaxAssignments": 2,
        "LifetimeInSeconds": 3600,
        "Question": question(),
        "RequesterAnnotation": "batch 1",
    }
    hit = api.call("CreateHITWithHITType", HITTypeId=hit_type, **of_hit)["HIT"]
    assignment = accept(browser, hit)
    submit(browser, assignment)
    reviewable = api.call("CreateHITWithHITType", HITTypeId=hit_type, **of_hit)["HIT"]["HITId"]
    api.call("UpdateExpirationForHIT", HITId=reviewable, ExpireAt=0)
    of_kind = {"Name": "Trained", "Description": "Has passed.", "QualificationTypeStatus": "Active"}
    kind = api.call("CreateQualificationType", **of_kind)["QualificationType"]
    kind_id, worker_id = kind["QualificationTypeId"], worker.code
    browser.post(f"/hits/qualifications/{kind_id}/request/")
    (pending_request,) = api.call("ListQualificationRequests")["QualificationRequests"]
    qualification_request = {"QualificationRequestId": pending_request["QualificationRequestId"]}
    of_kind["Name"] = "Granted"
    kind = api.call("CreateQualificationType", **of_kind)["QualificationType"]
    kind_id = kind["QualificationTypeId"]
    granted = {"QualificationTypeId": kind_id, "WorkerId": worker_id}
    api.call("AssociateQualificationWithWorker", **granted, IntegerValue=80)
    requirement = {
        "QualificationTypeId": kind_id,
        "Comparator": "In",
        "IntegerValues": [80, 90],
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }
    country = {
        "QualificationTypeId": "00000000000000000071",
        "Comparator": "EqualTo",
        "LocaleValues": [{"Country": "US", "Subdivision": "NY"}],
    }
    notification = {
        "Destination": f"{SITE}/hooks/",
        "Transport": "SNS",
        "Version": "2006-05-05",
        "EventTypes": ["AssignmentSubmitted", "HITExpired"],
    }
    new_type = HIT_TYPE | {
        "Keywords": "verbs, questions",
        "QualificationRequirements": [requirement, country],
    }
    pages = {"MaxResults": 10}
    return {
        "AcceptQualificationRequest": qualification_request | {"IntegerValue": 1},
        "ApproveAssignment": {"AssignmentId": assignment, "RequesterFeedback": "Thank you."},
        "AssociateQualificationWithWorker": granted | {"IntegerValue": 7, "SendNotification": True},
        "CreateAdditionalAssignmentsForHIT": {
            "HITId": hit["HITId"],
            "NumberOfAdditionalAssignments": 2,
            "UniqueRequestToken": "more",
        },
        "CreateHIT": new_type | of_hit | {"UniqueRequestToken": "one"} | REVIEW_POLICIES,
        "CreateHITType": new_type,
        "CreateHITWithHITType": of_hit | {"HITTypeId": hit_type, "UniqueRequestToken": "two"},
        "CreateQualificationType": of_kind
        | {
            "Name": "Other",
            "Keywords": "x",
            "RetryDelayInSeconds": 60,
            "AutoGranted": False,
            "Test": TEST,
            "AnswerKey": KEY,
            "TestDurationInSeconds": 600,
        },
        "CreateWorkerBlock": {"WorkerId": worker_id, "Reason": "Spam."},
        "DeleteHIT": {"HITId": reviewable},
        "DeleteQualificationType": {"QualificationTypeId": kind_id},
        "DeleteWorkerBlock": {"WorkerId": worker_id, "Reason": "A mistake."},
        "DisassociateQualificationFromWorker": granted | {"Reason": "Expired."},
        "GetAccountBalance": {},
        "GetAssignment": {"AssignmentId": assignment},
        "GetFileUploadURL": {"AssignmentId": assignment, "QuestionIdentifier": "file"},
        "GetHIT": {"HITId": hit["HITId"]},
        "GetQualificationScore": granted,
        "GetQualificationType": {"QualificationTypeId": kind_id},
        "ListAssignmentsForHIT": pages
        | {"HITId": hit["HITId"], "AssignmentStatuses": ["Submitted", "Approved"]},
        "ListBonusPayments": pages | {"HITId": hit["HITId"]},
        "ListHITs": pages,
        "ListHITsForQualificationType": pages | {"QualificationTypeId": kind_id},
        "ListQualificationRequests": pages | {"QualificationTypeId": kind_id},
        "ListQualificationTypes": pages
        | {"Query": "Trained", "MustBeRequestable": False, "MustBeOwnedByCaller": True},
        "ListReviewPolicyResultsForHIT": pages
        | {"HITId": hit["HITId"], "PolicyLevels": ["HIT"], "RetrieveActions": True},
        "ListReviewableHITs": pages | {"HITTypeId": hit_type, "Status": "Reviewable"},
        "ListWorkerBlocks": pages,
        "ListWorkerMessages": pages | {"WorkerId": worker_id},
        "ListWorkersWithQualificationType": pages
        | {"QualificationTypeId": kind_id, "Status": "Granted"},
        "NotifyWorkers": {"Subject": "Hello", "MessageText": "Text", "WorkerIds": [worker_id]},
        "RejectAssignment": {"AssignmentId": assignment, "RequesterFeedback": "Empty."},
        "RejectQualificationRequest": qualification_request | {"Reason": "No."},
        "SendBonus": {
            "WorkerId": worker_id,
            "BonusAmount": "0.10",
            "AssignmentId": assignment,
            "Reason": "Good work",
            "UniqueRequestToken": "bonus",
        },
        "SendTestEventNotification": {"Notification": notification, "TestEventType": "Ping"},
        "UpdateBonusStatus": {
            "WorkerId": worker_id,
            "BonusAmount": "0.10",
            "AssignmentId": assignment,
            "Status": "Reviewing",
        },
        "UpdateExpirationForHIT": {
            "HITId": hit["HITId"],
            "ExpireAt": int(timezone.now().timestamp()) + 60,
        },
        "UpdateHITReviewStatus": {"HITId": reviewable, "Revert": False},
        "UpdateHITTypeOfHIT": {"HITId": hit["HITId"], "HITTypeId": other_type},
        "UpdateNotificationSettings": {
            "HITTypeId": hit_type,
            "Notification": notification,
            "Active": True,
        },
        "UpdateQualificationType": {
            "QualificationTypeId": kind_id,
            "Description": "Has passed again.",
            "QualificationTypeStatus": "Active",
            "RetryDelayInSeconds": 10,
            "AutoGranted": True,
            "AutoGrantedValue": 5,
        },
    }


# --- mutations -----------------------------------------------------------------------------------

NAN, INFINITE = float("nan"), float("inf")
JUNK: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, -(2**31) - 1, 2**63, 2**64, 10**400, 1.5, 1e308, -0.0, NAN,
    INFINITE,
    "", " ", "\x00", "a\x00b", "\ud800", "\udfff", "\u2028", "\ufeff", "é" * 300, "x" * 70_000, "1e5",
    "0.005",
    "-1", "NaN", "<a/>", "<!DOCTYPE a>", "../../etc", "%s%n", "'; --", "3" + "A" * 29,
    "A" + "B" * 13,
    [], {}, [None], [[]], [{}], {"": None}, {"a": {"b": []}}, ["x"] * 5_000, [1.5, "x", None],
]  # fmt: skip
SHORT = 60


def mutations(operation: str, params: Params, rng: random.Random) -> Iterator[tuple[str, Request]]:
    """Yield one request of each kind of mutation, with a label."""
    valid = request_of(operation, params)
    for change in (_swap, _swap, _swap, _remove, _nest, _rename, _repeat):
        changed = deepcopy(params)
        label = change(changed, rng)
        yield label, replace(valid, body=json.dumps(changed).encode())
    for name, mutate in (("body", _body), ("target", _target), ("signature", _signature)):
        label, request = mutate(valid, rng)
        yield f"{name}: {label}", request


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container with each of its keys or indexes."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in list(keys):
        yield value, key
        yield from _places(value[key])


def _place(params: Params, rng: random.Random) -> tuple[Any, Any]:
    params.setdefault("MaxResults", 1)  # for operations without parameters
    return rng.choice(list(_places(params)))


def _swap(params: Params, rng: random.Random) -> str:
    container, key = _place(params, rng)
    container[key] = deepcopy(rng.choice(JUNK))
    return f"{key} = {container[key]!r:.{SHORT}}"


def _remove(params: Params, rng: random.Random) -> str:
    container, key = _place(params, rng)
    del container[key]
    return f"without {key}"


def _nest(params: Params, rng: random.Random) -> str:
    container, key = _place(params, rng)
    for _ in range(rng.choice((1, 2, 60))):
        container[key] = rng.choice(([container[key]], {"a": container[key]}))
    return f"{key} nested"


def _rename(params: Params, rng: random.Random) -> str:
    key = rng.choice(list(params) or [""])
    new = rng.choice([key.lower(), f"{key}\x00", "", "\ud800", "__class__", "x" * 10_000])
    params[new] = params.pop(key, None)
    return f"{key} is {new!r:.{SHORT}}"


def _repeat(params: Params, rng: random.Random) -> str:
    container, key = _place(params, rng)
    value = container[key]
    if isinstance(value, str | list):
        container[key] = value * rng.choice((2, 100, 3_000))
    elif isinstance(value, int):
        container[key] = value * 10 ** rng.choice((3, 12, 30))
    return f"{key} repeated"


def _body(valid: Request, rng: random.Random) -> tuple[str, Request]:
    body = valid.body
    at = rng.randrange(len(body))
    bodies = {
        "empty": b"", "cut": body[:at], "twice": body + body, "null": b"null", "list": b"[]",
        "text": b'"x"',
        "number": b"1", "deep": b"[" * 50_000, "deep object": b'{"a":' * 20_000,
        "bytes": b"\xff\xfe\x00",
        "utf-16": body.decode().encode("utf-16"), "byte order mark": b"\xef\xbb\xbf" + body,
        "flipped": body[:at] + bytes([body[at] ^ 0x40]) + body[at + 1 :],
        "NUL": body[:at] + b"\0" + body[at:],
        "huge number": b'{"MaxResults": ' + b"9" * 6_000 + b"}",
        "form": b"Action=GetAccountBalance",
        "surrogate": b'{"HITId": "\\ud83d", "WorkerId": "\\udc00\\ud800"}',
        "1e999": b'{"MaxResults": 1e999}',
    }  # fmt: skip
    label = rng.choice(list(bodies))
    return label, replace(valid, body=bodies[label])


def _target(valid: Request, rng: random.Random) -> tuple[str, Request]:
    name = valid.target.partition(".")[2]
    target = rng.choice([
        "", ".", SERVICE, f"{SERVICE}.", f"{SERVICE}.{name.lower()}", f"{SERVICE}.{name}.{name}",
        f".{name}",
        f"Other.{name}", f"{SERVICE}.__init__", f"{SERVICE}.{'x' * 5_000}",
        f"{SERVICE}.%00", name,
    ])  # fmt: skip
    return f"{target:.{SHORT}}", replace(valid, target=target)


def _signature(valid: Request, rng: random.Random) -> tuple[str, Request]:
    def change(name: str, old: str, new: str) -> Callable[[dict[str, str]], object]:
        return lambda headers: headers.update({name: headers[name].replace(old, new)})

    tampers: dict[str, Callable[[dict[str, str]], object]] = {
        "none": lambda headers: headers.pop("Authorization"),
        "empty": lambda headers: headers.update(Authorization=""),
        "of another kind": lambda headers: headers.update(Authorization="Bearer x"),
        "no header signed": change("Authorization", "SignedHeaders=", "SignedHeaders=;"),
        "host not signed": change("Authorization", "host;", ""),
        "short": lambda headers: headers.update(Authorization=headers["Authorization"][:-1]),
        "wrong": lambda headers: headers.update(
            Authorization=headers["Authorization"][:-8] + "00000000"
        ),
        "other region": change("Authorization", "us-east-1", "eu-west-1"),
        "other key": change("Authorization", "Credential=", "Credential=AAAAAAAAAAAAAAAAAAAA"),
        "long": change("Authorization", "Signature=", "Signature=" + "0" * 5_000),
        "no date": lambda headers: headers.pop("X-Amz-Date"),
        "odd date": lambda headers: headers.update({"X-Amz-Date": "99999999T999999Z"}),
        "old date": change("X-Amz-Date", "20", "19"),
        "other target": lambda headers: headers.update(
            {"X-Amz-Target": f"{SERVICE}.GetAccountBalance.x"}
        ),
        "chunked": lambda headers: headers.update({"Transfer-Encoding": "chunked"}),
        "other type": lambda headers: headers.update({"Content-Type": "text/html; charset=odd"}),
    }
    label = rng.choice(list(tampers))
    return label, replace(valid, tamper=tampers[label])
