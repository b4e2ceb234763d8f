"""A whole campaign through boto3 and the workers' pages, from the HIT type to the bonus."""

from xml.etree import ElementTree

import pytest
from botocore.exceptions import ClientError
from django.test import Client

from marketplace.models import WorkerAccount

from .conftest import HIT_TYPE, accept, frame_query, log_in, make_worker, question, submit

pytestmark = pytest.mark.django_db


def turk_code(error: pytest.ExceptionInfo[ClientError]) -> str:
    return error.value.response.get("TurkErrorCode", "")


def test_campaign_from_type_to_bonus(mturk, publish, worker, browser):
    hit = publish(MaxAssignments=2, RequesterAnnotation="item 7")
    assert (hit["HITStatus"], hit["NumberOfAssignmentsAvailable"]) == ("Assignable", 2)
    assert (hit["Reward"], hit["RequesterAnnotation"]) == ("0.05", "item 7")

    page = browser.get("/hits/").content.decode()
    assert f'data-group="{hit["HITTypeId"]}" data-available="1"' in page

    assignment = accept(browser, hit)
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsPending"] == 1
    assert submit(browser, assignment, content='{"a": "<b>"}').status_code == 200

    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert (row["AssignmentId"], row["WorkerId"]) == (assignment, worker.code)
    assert row["AssignmentStatus"] == "Submitted"
    answers = ElementTree.fromstring(row["Answer"])
    space = answers.tag.partition("}")[0] + "}"
    assert answers.find(f"{space}Answer/{space}QuestionIdentifier").text == "content"
    assert answers.find(f"{space}Answer/{space}FreeText").text == '{"a": "<b>"}'

    mturk.approve_assignment(AssignmentId=assignment, RequesterFeedback="Well done")
    mturk.send_bonus(
        WorkerId=worker.code,
        AssignmentId=assignment,
        BonusAmount="0.06",
        Reason="One more question",
        UniqueRequestToken="bonus-1",
    )
    (bonus,) = mturk.list_bonus_payments(AssignmentId=assignment)["BonusPayments"]
    assert (bonus["BonusAmount"], bonus["WorkerId"]) == ("0.06", worker.code)
    # 1000.00 - (0.05 + 0.01) - (0.06 + 0.01), and 0.06 set aside for the second assignment.
    balance = mturk.get_account_balance()
    assert (balance["AvailableBalance"], balance["OnHoldBalance"]) == ("999.81", "0.06")


def test_repeated_token_of_a_bonus_pays_once(mturk, do_hit, worker):
    _, assignment = do_hit()
    mturk.approve_assignment(AssignmentId=assignment)
    bonus = {
        "WorkerId": worker.code,
        "AssignmentId": assignment,
        "BonusAmount": "0.10",
        "Reason": "Two questions",
        "UniqueRequestToken": "bonus-7",
    }
    mturk.send_bonus(**bonus)
    with pytest.raises(ClientError) as error:
        mturk.send_bonus(**bonus)
    assert "request ID" in str(error.value)
    assert mturk.list_bonus_payments(AssignmentId=assignment)["NumResults"] == 1


def test_repeated_token_of_a_hit_names_the_first_hit(mturk, publish):
    hit = publish(UniqueRequestToken="item-7")
    with pytest.raises(ClientError) as error:
        publish(UniqueRequestToken="item-7")
    assert turk_code(error).lower() == "aws.mechanicalturk.hitalreadyexists"
    assert hit["HITId"] in error.value.response["Error"]["Message"]
    assert mturk.list_hits()["NumResults"] == 1


def test_equal_hit_types_have_the_same_id(mturk):
    first = mturk.create_hit_type(**HIT_TYPE)["HITTypeId"]
    assert mturk.create_hit_type(**HIT_TYPE)["HITTypeId"] == first
    assert mturk.create_hit_type(**HIT_TYPE | {"Reward": "0.06"})["HITTypeId"] != first


def test_lists_are_read_page_by_page(mturk, publish):
    ids = [publish()["HITId"] for _ in range(5)]
    pages = list(mturk.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 2}))
    assert [page["NumResults"] for page in pages] == [2, 2, 1, 0]
    # MTurk clients expect a token with every page that is not empty.
    assert ["NextToken" in page for page in pages] == [True, True, True, False]
    assert [hit["HITId"] for page in pages for hit in page["HITs"]] == ids[::-1]


def test_approving_twice_is_refused(mturk, do_hit):
    _, assignment = do_hit()
    mturk.approve_assignment(AssignmentId=assignment)
    with pytest.raises(ClientError) as error:
        mturk.approve_assignment(AssignmentId=assignment)
    assert "This operation can be called with a status of: Submitted" in str(error.value)
    assert turk_code(error) == "AWS.MechanicalTurk.InvalidAssignmentState"


def test_rejection_frees_the_money_and_can_be_overridden(mturk, do_hit):
    hit, assignment = do_hit()
    mturk.reject_assignment(AssignmentId=assignment, RequesterFeedback="Empty answers")
    assert mturk.get_account_balance()["AvailableBalance"] == "1000.00"
    mturk.approve_assignment(AssignmentId=assignment, OverrideRejection=True)
    assert mturk.get_account_balance()["AvailableBalance"] == "999.94"
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsCompleted"] == 1


def test_qualification_opens_a_group(mturk, publish, worker, browser):
    trained = mturk.create_qualification_type(
        Name="Trained", Description="Passed both rounds", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    hit = publish(
        QualificationRequirements=[
            {
                "QualificationTypeId": trained,
                "Comparator": "GreaterThanOrEqualTo",
                "IntegerValues": [1],
                "ActionsGuarded": "DiscoverPreviewAndAccept",
            }
        ]
    )
    assert hit["HITTypeId"] not in browser.get("/hits/").content.decode()
    refused = browser.post(f"/hits/groups/{hit['HITTypeId']}/accept/")
    assert refused.url == "/hits/"

    mturk.associate_qualification_with_worker(
        QualificationTypeId=trained, WorkerId=worker.code, IntegerValue=1, SendNotification=False
    )
    (grant,) = mturk.list_workers_with_qualification_type(QualificationTypeId=trained)[
        "Qualifications"
    ]
    assert (grant["WorkerId"], grant["IntegerValue"], grant["Status"]) == (
        worker.code,
        1,
        "Granted",
    )
    assignment = accept(browser, hit)
    assert frame_query(browser, assignment)["workerId"] == worker.code

    mturk.disassociate_qualification_from_worker(
        QualificationTypeId=trained, WorkerId=worker.code, Reason="Retired"
    )
    revoked = mturk.list_workers_with_qualification_type(
        QualificationTypeId=trained, Status="Revoked"
    )
    assert revoked["NumResults"] == 1


def test_expired_hit_is_not_offered_and_can_be_extended(mturk, publish, browser):
    hit = publish()
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"] == "Reviewable"
    assert mturk.get_account_balance()["OnHoldBalance"] == "0.00"
    assert browser.post(f"/hits/groups/{hit['HITTypeId']}/accept/").url == "/hits/"
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=hit["Expiration"])
    assert mturk.get_account_balance()["OnHoldBalance"] == "0.06"
    accept(browser, hit)


def test_additional_assignments_stay_below_ten(mturk, publish):
    hit = publish(MaxAssignments=9)
    with pytest.raises(ClientError) as error:
        mturk.create_additional_assignments_for_hit(
            HITId=hit["HITId"], NumberOfAdditionalAssignments=1
        )
    assert turk_code(error) == "AWS.MechanicalTurk.InvalidMaximumAssignmentsIncrease"
    smaller = publish(MaxAssignments=2, RequesterAnnotation="b")
    mturk.create_additional_assignments_for_hit(
        HITId=smaller["HITId"], NumberOfAdditionalAssignments=3, UniqueRequestToken="more"
    )
    with pytest.raises(ClientError):
        mturk.create_additional_assignments_for_hit(
            HITId=smaller["HITId"], NumberOfAdditionalAssignments=3, UniqueRequestToken="more"
        )
    assert mturk.get_hit(HITId=smaller["HITId"])["HIT"]["MaxAssignments"] == 5


def test_message_reaches_only_workers_who_were_decided_on_or_qualified(mturk, do_hit, worker):
    stranger, invited, revoked = (make_worker(name) for name in ("bob", "ida", "rob"))
    trained = mturk.create_qualification_type(
        Name="Trained", Description="Training", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    for account in (invited, revoked):
        mturk.associate_qualification_with_worker(
            QualificationTypeId=trained, WorkerId=account.code
        )
    mturk.disassociate_qualification_from_worker(QualificationTypeId=trained, WorkerId=revoked.code)
    _, assignment = do_hit()
    mturk.approve_assignment(AssignmentId=assignment)
    failures = mturk.notify_workers(
        Subject="Feedback",
        MessageText="Well done.",
        WorkerIds=[worker.code, stranger.code, invited.code, revoked.code, "AX1"],
    )["NotifyWorkersFailureStatuses"]
    assert {failure["WorkerId"] for failure in failures} == {stranger.code, revoked.code, "AX1"}
    assert worker.messages.get(subject="Feedback").text == "Well done."
    assert invited.messages.get(subject="Feedback").text == "Well done."


def test_worker_joins_by_invitation_and_works(mturk, publish, client):
    from django.core.management import call_command

    from marketplace.models import Invitation

    hit = publish()
    call_command("invite_workers", "--count", "1", "--code-prefix", "demo-", stdout=None)
    code = Invitation.objects.get().code
    assert code.startswith("demo-")
    form = {
        "username": "Carla",
        "email": "carla@example.org",
        "password": "nine green horses",
        "country": "us",
        "is_adult": "on",
    }
    assert client.post(f"/hits/join/{code}/", form).url == "/hits/"
    assert accept(client, hit)
    assert Client().post(f"/hits/join/{code}/", form | {"username": "dora"}).status_code == 404
    assert WorkerAccount.objects.count() == 1


def test_returned_hit_is_offered_to_another_worker(mturk, publish, browser):
    hit = publish()
    assignment = accept(browser, hit)
    assert browser.post(f"/hits/work/{assignment}/return/").url == "/hits/"
    # The worker who returned the HIT is not offered it again immediately, but another worker is.
    assert browser.post(f"/hits/groups/{hit['HITTypeId']}/accept/").url == "/hits/"
    other = log_in(make_worker("bob"))
    assert accept(other, hit) != assignment
    assert mturk.list_assignments_for_hit(HITId=hit["HITId"])["NumResults"] == 0


def test_worker_accepts_each_hit_once(publish, browser):
    hits = [publish(MaxAssignments=3) for _ in range(3)]
    hit_ids = [frame_query(browser, accept(browser, hits[0]))["hitId"] for _ in hits]
    assert sorted(hit_ids) == sorted(hit["HITId"] for hit in hits)
    assert browser.post(f"/hits/groups/{hits[0]['HITTypeId']}/accept/").url == "/hits/"


def test_plain_http_is_refused_where_it_is_not_allowed(publish, settings):
    settings.MARKETPLACE_ALLOW_HTTP = False
    with pytest.raises(ClientError) as error:
        publish(Question=question("http://lab.example/task"))
    assert turk_code(error) == "AWS.MechanicalTurk.InvalidParameterValue"
