"""Every operation through the AWS command line, as anyone without our code would call it."""

import io
import json
import os
from contextlib import redirect_stderr, redirect_stdout

import pytest
from django.utils import timezone

from marketplace.api.shapes import operation_names
from marketplace.models import QualificationRequest, QualificationType

from .conftest import accept, question, submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def aws(site, requester, monkeypatch, tmp_path):
    """Runs `aws mturk <operation> ...`; returns its JSON, or its error text when it fails."""
    clidriver = pytest.importorskip("awscli.clidriver")
    environment = {
        "AWS_ACCESS_KEY_ID": requester[1],
        "AWS_SECRET_ACCESS_KEY": requester[2],
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_MAX_ATTEMPTS": "1",
        "AWS_PAGER": "",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    called: set[str] = set()

    def run(operation: str, **parameters: object) -> dict | str:
        arguments = ["mturk", operation, "--endpoint-url", f"{site}/mturk/", "--output", "json"]
        for name, value in parameters.items():
            option = "--" + name.replace("_", "-")
            if isinstance(value, bool):
                arguments.append(option if value else option.replace("--", "--no-", 1))
            else:
                text = value if isinstance(value, str | int) else json.dumps(value)
                arguments += [option, str(text)]
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = clidriver.create_clidriver().main(arguments)
        called.add(operation)
        if code:
            return err.getvalue()
        return json.loads(out.getvalue() or "{}")

    run.called = called
    return run


def dashed(operation: str) -> str:
    from botocore import xform_name

    return xform_name(operation, "-")


def test_all_operations_through_the_command_line(  # noqa: PLR0915
    aws, browser, worker, live_server
):
    trained = aws(
        "create-qualification-type",
        name="Trained",
        description="d",
        qualification_type_status="Active",
    )["QualificationType"]["QualificationTypeId"]
    of_type = {"qualification_type_id": trained}
    of_worker = of_type | {"worker_id": worker.code}
    aws("update-qualification-type", **of_type, description="Passed", retry_delay_in_seconds=0)
    got = aws("get-qualification-type", **of_type)
    assert got["QualificationType"]["Description"] == "Passed"
    listed = aws("list-qualification-types", must_be_requestable=True)
    assert len(listed["QualificationTypes"]) == 1
    for decision in ("reject", "accept"):
        QualificationRequest.objects.create(
            code=f"3{decision.upper()}",
            qualification_type=QualificationType.objects.get(),
            worker=worker,
            submitted_at=timezone.now(),
        )
        (waiting,) = aws("list-qualification-requests")["QualificationRequests"]
        request_id = waiting["QualificationRequestId"]
        aws(f"{decision}-qualification-request", qualification_request_id=request_id)
    assert aws("get-qualification-score", **of_worker)["Qualification"]["IntegerValue"] == 1
    aws("associate-qualification-with-worker", **of_worker, integer_value=5)
    held = aws("list-workers-with-qualification-type", **of_type)
    assert held["Qualifications"][0]["IntegerValue"] == 5

    common = {
        "title": "Ask",
        "description": "d",
        "reward": "0.05",
        "assignment_duration_in_seconds": 600,
        "qualification_requirements": [{"QualificationTypeId": trained, "Comparator": "Exists"}],
    }
    kind = aws("create-hit-type", **common)["HITTypeId"]
    new = {"lifetime_in_seconds": 3600, "question": question()}
    first = aws("create-hit", **common, **new)["HIT"]
    second = aws("create-hit-with-hit-type", hit_type_id=kind, max_assignments=2, **new)["HIT"]
    assert first["HITTypeId"] == kind
    other = aws("create-hit-type", **common | {"reward": "0.06"})["HITTypeId"]
    aws("update-hit-type-of-hit", hit_id=second["HITId"], hit_type_id=other)
    aws(
        "create-additional-assignments-for-hit",
        hit_id=second["HITId"],
        number_of_additional_assignments=1,
    )
    assert aws("get-hit", hit_id=second["HITId"])["HIT"]["MaxAssignments"] == 3
    assert len(aws("list-hits")["HITs"]) == 2
    assert len(aws("list-hits-for-qualification-type", **of_type)["HITs"]) == 2
    results = aws("list-review-policy-results-for-hit", hit_id=first["HITId"])
    assert results == {"HITId": first["HITId"]}
    specification = {
        "Destination": f"{live_server.url}/hook",
        "Transport": "SNS",
        "Version": "2006-05-05",
        "EventTypes": ["AssignmentSubmitted"],
    }
    aws("update-notification-settings", hit_type_id=kind, notification=specification, active=True)
    aws("send-test-event-notification", notification=specification, test_event_type="Ping")

    done = accept(browser, first)
    submit(browser, done)
    assert aws("list-reviewable-hits")["HITs"][0]["HITId"] == first["HITId"]
    aws("update-hit-review-status", hit_id=first["HITId"])
    assert aws("get-assignment", assignment_id=done)["HIT"]["HITStatus"] == "Reviewing"
    (row,) = aws("list-assignments-for-hit", hit_id=first["HITId"])["Assignments"]
    assert row["AssignmentId"] == done
    upload = aws("get-file-upload-url", assignment_id=done, question_identifier="q")
    assert "RequestError" in upload
    aws("reject-assignment", assignment_id=done, requester_feedback="no")
    aws("approve-assignment", assignment_id=done, override_rejection=True)
    bonus = {"worker_id": worker.code, "assignment_id": done, "unique_request_token": "t"}
    aws("send-bonus", **bonus, bonus_amount="0.10", reason="r")
    assert "request ID" in aws("send-bonus", **bonus, bonus_amount="0.10", reason="r")
    paid = aws("list-bonus-payments", hit_id=first["HITId"])
    assert [row["BonusAmount"] for row in paid["BonusPayments"]] == ["0.10"]
    told = aws("notify-workers", subject="s", message_text="t", worker_ids=[worker.code])
    assert told == {"NotifyWorkersFailureStatuses": []}

    aws("create-worker-block", worker_id=worker.code, reason="r")
    assert len(aws("list-worker-blocks")["WorkerBlocks"]) == 1
    aws("delete-worker-block", worker_id=worker.code)
    aws("update-expiration-for-hit", hit_id=second["HITId"], expire_at=0)
    for hit in (first, second):
        aws("delete-hit", hit_id=hit["HITId"])
    assert aws("list-hits")["HITs"] == []
    aws("disassociate-qualification-from-worker", **of_worker)
    aws("delete-qualification-type", **of_type)
    # 1000.00 - (0.05 + 0.01) - (0.10 + 0.02), and nothing set aside.
    balance = aws("get-account-balance")
    assert balance == {"AvailableBalance": "999.82", "OnHoldBalance": "0.00"}
    assert aws.called == {dashed(operation) for operation in operation_names()}


def test_wrong_secret_is_told_on_the_command_line(aws, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    assert os.environ["AWS_SECRET_ACCESS_KEY"] == "wrong"
    assert "InvalidSignatureException" in aws("get-account-balance")
