"""Review policies: validation, scores, actions and reports."""

from datetime import timedelta

import pytest
from django.db import connection  # noqa: F401 - in the condition of needs_threads
from django.utils import timezone

from marketplace.domain.work import maintenance, review, work
from marketplace.domain.work.review_policies import apply, scores
from marketplace.domain.work.review_policies.answers import parse_answers
from marketplace.domain.work.work import answers_xml
from marketplace.models import Assignment, DueReview, Hit, LedgerEntry, Requester, ReviewAction

from .conftest import accept, log_in, make_requester, make_worker, mturk_client, submit
from .test_accept_hit import at_once, needs_threads
from .test_operations import refused

pytestmark = pytest.mark.django_db
KEY = {"Q1": ["a"], "Q2": ["b", "c"]}


def parameter(key: str, *values: object) -> dict:
    return {"Key": key, "Values": [str(value) for value in values]}


def known_answers(key: dict[str, list[str]] | None = None, **values: object) -> dict:
    entries = [
        {"Key": question, "Values": values_of_question}
        for question, values_of_question in (key or KEY).items()
    ]
    parameters = [parameter(name, value) for name, value in values.items()]
    return {
        "PolicyName": "ScoreMyKnownAnswers/2011-09-01",
        "Parameters": [{"Key": "AnswerKey", "MapEntries": entries}, *parameters],
    }


def plurality(*questions: str, **values: object) -> dict:
    values = {"QuestionAgreementThreshold": 50} | values
    return {
        "PolicyName": "SimplePlurality/2011-09-01",
        "Parameters": [
            parameter("QuestionIds", *(questions or ("Q1",))),
            *(parameter(name, value) for name, value in values.items()),
        ],
    }


def do(hit: dict, name: str, **answers: str) -> str:
    """Accept and submit as a new worker. Return the assignment's id."""
    browser = log_in(make_worker(name))
    assignment = accept(browser, hit)
    assert submit(browser, assignment, **answers).status_code == 200
    return assignment


def report_of(mturk, hit: dict, level: str) -> tuple[list[tuple], list[tuple]]:
    """Return the results and actions of a level as tuples."""
    output = mturk.list_review_policy_results_for_hit(HITId=hit["HITId"], PolicyLevels=[level])
    report = output[f"{level}ReviewReport"]
    results = [
        (row["SubjectId"], row.get("QuestionId", ""), row["Key"], row["Value"])
        for row in report["ReviewResults"]
    ]
    actions = [
        (row["ActionName"], row["TargetId"], row["Status"]) for row in report["ReviewActions"]
    ]
    return results, actions


def status_of(code: str) -> str:
    return Assignment.objects.get(code=code).status


def check_money() -> None:
    """Check that the ledger, the balance and the holds agree, and that each reward is paid once."""
    lab = Requester.objects.get()
    entries = LedgerEntry.objects.all()
    assert sum(entry.amount_cents for entry in entries) == lab.balance_cents
    assert sum(entry.held_cents for entry in entries) == lab.held_cents
    assert sum(hit.held_cents for hit in Hit.objects.all()) == lab.held_cents
    paid_assignments = entries.filter(kind="reward").values_list("assignment", flat=True)
    approved = Assignment.objects.filter(status="Approved").values_list("pk", flat=True)
    assert sorted(paid_assignments) == sorted(approved)


@pytest.mark.parametrize(
    ("policy", "message_part"),
    [
        ({"PolicyName": "ScoreMyKnownAnswers/2011-09-01"}, "AnswerKey"),
        ({"PolicyName": "SimplePlurality/2011-09-01"}, "ScoreMyKnownAnswers/2011-09-01"),
        (known_answers({}) | {"Parameters": [{"Key": "AnswerKey"}]}, "MapEntries"),
        (known_answers({"": ["a"]}), "question once"),
        (known_answers({f"Q{n}": ["a"] for n in range(1001)}), "at most 1000"),
        (known_answers(ApproveIfKnownAnswerScoreIsAtLeast=102), "between 0 and 101"),
        (known_answers(RejectIfKnownAnswerScoreIsLessThan=-1), "between 0 and 101"),
        (known_answers(ExtendIfKnownAnswerScoreIsLessThan="half"), "whole number"),
        (known_answers(ExtendMaximumAssignments=1), "between 2 and 25"),
        (known_answers(ExtendMaximumAssignments=26), "between 2 and 25"),
        (known_answers(ExtendMinimumTimeInSeconds=59), "between 60 and 31536000"),
        (known_answers(RejectReason="x" * 1025), "1024"),
        (known_answers(QuestionIds="Q1"), "no parameter 'QuestionIds'"),
    ],
)
def test_invalid_assignment_policy_is_refused(publish, policy, message_part):
    code, message = refused(publish, AssignmentReviewPolicy=policy)
    assert code == "InvalidParameterValue"
    assert message_part in message
    assert not Hit.objects.exists()


@pytest.mark.parametrize(
    ("policy", "message_part"),
    [
        (known_answers(), "SimplePlurality/2011-09-01"),
        ({"PolicyName": "SimplePlurality/2011-09-01"}, "QuestionIds, QuestionAgreementThreshold"),
        (plurality(" , "), "at least one question"),
        (plurality(*(f"Q{n}" for n in range(1001))), "at most 1000"),
        (plurality(QuestionAgreementThreshold=101), "between 0 and 100"),
        (plurality(DisregardAssignmentIfRejected="maybe"), "T or F"),
        (plurality(ExtendIfHITAgreementScoreIsLessThan=0), "between 1 and 100"),
        (plurality(ExtendIfHITAgreementScoreIsLessThan=50), "ExtendMaximumAssignments"),
        (
            plurality(ExtendIfHITAgreementScoreIsLessThan=50, ExtendMaximumAssignments=3),
            "ExtendMinimumTimeInSeconds",
        ),
        (plurality(ExtendMinimumTimeInSeconds=3599), "between 3600 and 31536000"),
        (plurality(ApproveIfWorkerAgreementScoreIsAtLeast=""), "whole number"),
        (plurality(AnswerKey="Q1"), "no parameter 'AnswerKey'"),
    ],
)
def test_invalid_hit_policy_is_refused(publish, policy, message_part):
    code, message = refused(publish, HITReviewPolicy=policy)
    assert code == "InvalidParameterValue"
    assert message_part in message


def test_parameter_given_twice_is_refused(publish):
    policy = plurality()
    policy["Parameters"].append(parameter("QuestionIds", "Q2"))
    assert "given twice" in refused(publish, HITReviewPolicy=policy)[1]


def test_parameter_with_two_values_is_refused(publish):
    policy = plurality()
    policy["Parameters"][1]["Values"] = ["50", "60"]
    assert "exactly one value" in refused(publish, HITReviewPolicy=policy)[1]


def test_question_ids_may_be_one_value_with_commas(publish, mturk):
    hit = publish(HITReviewPolicy=plurality("Q1, Q2"))
    do(hit, "ann", Q1="a", Q2="b")
    results, _ = report_of(mturk, hit, "HIT")
    assert {question for _, question, key, _ in results if key == "AgreedAnswer"} == {"Q1", "Q2"}


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ([("Q", " a ")], {"a"}),
        ([("Q", "a"), ("Q", "b")], {"a", "b"}),
        ([("Q", "b|a")], {"a", "b"}),
        ([("Q", "")], set()),
        ([("Q", "<&>")], {"<&>"}),
    ],
)
def test_answers_are_read_as_they_are_stored(fields, values):
    assert parse_answers(answers_xml(fields)) == {"Q": frozenset(values)}


def test_selections_are_read_too():
    answer = (
        "<Answer><QuestionIdentifier>Q</QuestionIdentifier>"
        "<SelectionIdentifier>a</SelectionIdentifier>"
        "<OtherSelectionText>b</OtherSelectionText></Answer>"
    )
    document = answers_xml([]).replace("</QuestionFormAnswers>", f"{answer}</QuestionFormAnswers>")
    assert parse_answers(document) == {"Q": frozenset("ab")}


def test_document_that_is_not_xml_has_no_answers():
    assert parse_answers("") == parse_answers("<x>") == {}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"Q1": "a", "Q2": "c|b"}, (True, True)),
        ({"Q1": "A", "Q2": "b"}, (False, False)),
        ({"Q1": "a|d", "Q2": "b|c|d"}, (False, False)),
        ({}, (False, False)),
    ],
)
def test_known_answer_requires_exactly_the_values(answers, expected):
    parsed = parse_answers(answers_xml(answers.items()))
    assert tuple(scores.known_answers(parsed, KEY).values()) == expected


def test_empty_key_matches_an_empty_answer_only():
    assert scores.known_answers({}, {"Q": []}) == {"Q": True}
    assert scores.known_answers({"Q": frozenset("a")}, {"Q": []}) == {"Q": False}


def test_agreement_of_the_documented_example():
    """This is the example in MTurk's reference, with four questions and three workers."""
    columns = {
        "A": ("coat", "sweater", "coat"),
        "B": ("blue", "blue", "green"),
        "C": ("large", "large", "large"),
        "D": ("Furry", "fur", "furr"),
    }
    workers = [
        {question: frozenset([texts[number]]) for question, texts in columns.items()}
        for number in range(3)
    ]
    agreed = scores.agreed_answers(workers, list(columns), threshold=50)
    assert {question: answer and answer.score for question, answer in agreed.items()} == {
        "A": 66,
        "B": 66,
        "C": 100,
        "D": None,
    }
    assert scores.hit_agreement(agreed) == 75
    assert [scores.worker_agreement(worker, agreed).score for worker in workers] == [100, 66, 66]


@pytest.mark.parametrize(
    ("texts", "threshold", "score"),
    [
        (["a", "b"], 0, None),  # a tie
        (["a", "b"], 49, None),
        (["a", "a", "b", "b", "c"], 10, None),
        (["a", "a", "b"], 66, None),  # not greater
        (["a", "a", "b"], 65, 66),
        (["a"], 99, 100),
        (["a"], 100, None),
        ([], 0, None),
        (["a", "x" * 257], 50, 100),  # long answers are ignored
        (["", ""], 50, 100),
    ],
)
def test_agreed_answer(texts, threshold, score):
    workers = [parse_answers(answers_xml([("Q", text)])) for text in texts]
    answer = scores.agreed_answers(workers, ["Q"], threshold=threshold)["Q"]
    assert (answer and answer.score) == score


def test_known_answers_approve_and_reject_once(mturk, publish):
    policy = known_answers(
        ApproveIfKnownAnswerScoreIsAtLeast=100,
        ApproveReason="Well done",
        RejectIfKnownAnswerScoreIsLessThan=50,
        RejectReason="Both are wrong",
    )
    hit = publish(MaxAssignments=3, AssignmentReviewPolicy=policy)
    good = do(hit, "ann", Q1="a", Q2="b|c")
    fair = do(hit, "bob", Q1="a", Q2="b")
    bad = do(hit, "cem", Q1="x")
    assert {status_of(code) for code in (good, fair, bad)} == {"Submitted"}
    assert maintenance.run_due(now=timezone.now())["reviewed"] == 1
    assert maintenance.run_due(now=timezone.now())["reviewed"] == 0
    rows = {
        row["AssignmentId"]: (row["AssignmentStatus"], row.get("RequesterFeedback"))
        for row in mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    }
    assert rows == {
        good: ("Approved", "Well done"),
        fair: ("Submitted", None),
        bad: ("Rejected", "Both are wrong"),
    }
    results, actions = report_of(mturk, hit, "Assignment")
    assert results == [
        (good, "Q1", "KnownAnswerCorrect", "1"),
        (good, "Q2", "KnownAnswerCorrect", "1"),
        (good, "", "KnownAnswerScore", "100"),
        (fair, "Q1", "KnownAnswerCorrect", "1"),
        (fair, "Q2", "KnownAnswerCorrect", "0"),
        (fair, "", "KnownAnswerScore", "50"),
        (bad, "Q1", "KnownAnswerCorrect", "0"),
        (bad, "Q2", "KnownAnswerCorrect", "0"),
        (bad, "", "KnownAnswerScore", "0"),
    ]
    assert actions == [("approve", good, "Succeeded"), ("reject", bad, "Succeeded")]
    check_money()


def test_get_hit_applies_the_policies_first(mturk, publish):
    policy = known_answers(ApproveIfKnownAnswerScoreIsAtLeast=0)
    hit = publish(AssignmentReviewPolicy=policy)
    do(hit, "ann", Q1="x")
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsCompleted"] == 1


def test_approval_has_precedence_over_rejection(mturk, publish):
    policy = known_answers(
        ApproveIfKnownAnswerScoreIsAtLeast=50, RejectIfKnownAnswerScoreIsLessThan=101
    )
    hit = publish(AssignmentReviewPolicy=policy)
    assignment = do(hit, "ann", Q1="a")
    assert report_of(mturk, hit, "Assignment")[1] == [("approve", assignment, "Succeeded")]


def test_known_answers_extend_up_to_the_maximum(mturk, publish):
    policy = known_answers(
        RejectIfKnownAnswerScoreIsLessThan=50,
        ExtendIfKnownAnswerScoreIsLessThan=50,
        ExtendMaximumAssignments=2,
        ExtendMinimumTimeInSeconds=86_400,
    )
    hit = publish(AssignmentReviewPolicy=policy)
    before = timezone.now()
    first = do(hit, "ann", Q1="x")
    extended = mturk.get_hit(HITId=hit["HITId"])["HIT"]
    assert (extended["HITStatus"], extended["MaxAssignments"]) == ("Assignable", 2)
    assert extended["Expiration"] >= before + timedelta(days=1) - timedelta(seconds=1)
    second = do(hit, "bob", Q1="x")
    final = mturk.get_hit(HITId=hit["HITId"])["HIT"]
    assert (final["HITStatus"], final["MaxAssignments"]) == ("Reviewable", 2)
    _, actions = report_of(mturk, hit, "Assignment")
    assert actions == [
        ("reject", first, "Succeeded"),
        ("extend", hit["HITId"], "Succeeded"),
        ("reject", second, "Succeeded"),
        ("extend", hit["HITId"], "Succeeded"),
    ]
    assert ReviewAction.objects.order_by("pk").last().result == "The HIT already has 2 assignments"
    check_money()


def test_extension_does_not_shorten_a_hit(mturk, publish):
    policy = known_answers(ExtendIfKnownAnswerScoreIsLessThan=101, ExtendMinimumTimeInSeconds=60)
    hit = publish(AssignmentReviewPolicy=policy)
    do(hit, "ann", Q1="x")
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["Expiration"] == hit["Expiration"]


def test_extension_beyond_the_balance_fails_and_changes_nothing(mturk, publish):
    policy = known_answers(ExtendIfKnownAnswerScoreIsLessThan=101)
    hit = publish(AssignmentReviewPolicy=policy)
    do(hit, "ann", Q1="x")
    lab = Requester.objects.get()
    Requester.objects.update(balance_cents=lab.held_cents)
    report = mturk.list_review_policy_results_for_hit(HITId=hit["HITId"])
    [action] = report["AssignmentReviewReport"]["ReviewActions"]
    assert (action["Status"], action["ErrorCode"]) == (
        "Failed",
        "AWS.MechanicalTurk.InsufficientFunds",
    )
    assert Hit.objects.get().max_assignments == 1
    lab.refresh_from_db()
    assert lab.held_cents == Hit.objects.get().held_cents


def test_extension_to_ten_assignments_fails(mturk, publish):
    policy = known_answers(
        {"Q1": ["a"]}, ExtendIfKnownAnswerScoreIsLessThan=101, ExtendMaximumAssignments=25
    )
    hit = publish(MaxAssignments=9, AssignmentReviewPolicy=policy)
    do(hit, "ann", Q1="x")
    report = mturk.list_review_policy_results_for_hit(HITId=hit["HITId"])
    [action] = report["AssignmentReviewReport"]["ReviewActions"]
    assert action["ErrorCode"].endswith("InvalidMaximumAssignmentsIncrease")


def test_decision_of_the_requester_is_not_overridden(mturk, publish):
    policy = known_answers(ApproveIfKnownAnswerScoreIsAtLeast=100)
    hit = publish(MaxAssignments=2, AssignmentReviewPolicy=policy)
    rejected, approved = do(hit, "ann", Q1="a", Q2="b|c"), do(hit, "bob", Q1="a", Q2="b|c")
    lab, now = Requester.objects.get(), timezone.now()
    review.reject(requester=lab, assignment_code=rejected, feedback="no", now=now)
    review.approve(requester=lab, assignment_code=approved, now=now)
    report = mturk.list_review_policy_results_for_hit(HITId=hit["HITId"])
    actions = report["AssignmentReviewReport"]["ReviewActions"]
    assert [(row["Status"], row.get("ErrorCode")) for row in actions] == [
        ("Failed", "AWS.MechanicalTurk.InvalidAssignmentState"),
        ("Succeeded", None),
    ]
    assert actions[1]["Result"] == "Already approved"
    assert (status_of(rejected), status_of(approved)) == ("Rejected", "Approved")
    check_money()


def test_plurality_waits_until_the_hit_is_reviewable(mturk, publish):
    policy = plurality(
        "Q1",
        "Q2",
        ApproveIfWorkerAgreementScoreIsAtLeast=100,
        RejectIfWorkerAgreementScoreIsLessThan=50,
        RejectReason="The others disagree",
    )
    hit = publish(MaxAssignments=3, HITReviewPolicy=policy)
    ann = do(hit, "ann", Q1="a", Q2="x")
    bob = do(hit, "bob", Q1="a", Q2="y")
    assert report_of(mturk, hit, "HIT") == ([], [])
    cem = do(hit, "cem", Q1="b", Q2="z")
    results, actions = report_of(mturk, hit, "HIT")
    code = hit["HITId"]
    assert results == [
        (code, "Q1", "AgreedAnswerFound", "true"),
        (code, "Q1", "AgreedAnswer", "a"),
        (code, "Q1", "AnswerAgreementScore", "66"),
        (code, "Q2", "AgreedAnswerFound", "false"),
        (code, "", "HitAgreementScore", "50"),
        *(
            (assignment, "", key, value)
            for assignment, values in (
                (ann, ("100", "1", "0")),
                (bob, ("100", "1", "0")),
                (cem, ("0", "0", "1")),
            )
            for key, value in zip(
                ("WorkerAgreementScore", "PluralityAnswersCorrect", "PluralityAnswersIncorrect"),
                values,
                strict=True,
            )
        ),
    ]
    assert actions == [
        ("approve", ann, "Succeeded"),
        ("approve", bob, "Succeeded"),
        ("reject", cem, "Succeeded"),
    ]
    assert Assignment.objects.get(code=cem).feedback == "The others disagree"
    check_money()


def test_plurality_extends_until_workers_agree(mturk, publish):
    policy = plurality(
        ExtendIfHITAgreementScoreIsLessThan=100,
        ExtendMaximumAssignments=4,
        ExtendMinimumTimeInSeconds=3600,
        ApproveIfWorkerAgreementScoreIsAtLeast=100,
    )
    hit = publish(MaxAssignments=2, HITReviewPolicy=policy)
    do(hit, "ann", Q1="a")
    do(hit, "bob", Q1="b")
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"] == "Assignable"
    do(hit, "cem", Q1="a")
    final = mturk.get_hit(HITId=hit["HITId"])["HIT"]
    assert (final["HITStatus"], final["MaxAssignments"]) == ("Reviewable", 3)
    assert final["NumberOfAssignmentsCompleted"] == 2
    _, actions = report_of(mturk, hit, "HIT")
    assert [(name, status) for name, _, status in actions] == [
        ("extend", "Succeeded"),
        ("approve", "Succeeded"),
        ("approve", "Succeeded"),
    ]
    check_money()


def test_plurality_reviews_an_expired_hit(mturk, publish):
    hit = publish(
        MaxAssignments=5, HITReviewPolicy=plurality(ApproveIfWorkerAgreementScoreIsAtLeast=100)
    )
    assignment = do(hit, "ann", Q1="a")
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    assert report_of(mturk, hit, "HIT")[1] == [("approve", assignment, "Succeeded")]
    check_money()


def test_plurality_disregards_rejected_and_low_assignments(mturk, publish):
    hit = publish(
        MaxAssignments=4,
        AssignmentReviewPolicy=known_answers(
            {"KEY": ["right"]}, RejectIfKnownAnswerScoreIsLessThan=0
        ),
        HITReviewPolicy=plurality(
            DisregardAssignmentIfRejected="T",
            DisregardAssignmentIfKnownAnswerScoreIsLessThan=100,
            ApproveIfWorkerAgreementScoreIsAtLeast=100,
        ),
    )
    ann = do(hit, "ann", Q1="a", KEY="right")
    bob = do(hit, "bob", Q1="b", KEY="wrong")
    cem = do(hit, "cem", Q1="b", KEY="right")
    review.reject(
        requester=Requester.objects.get(), assignment_code=cem, feedback="", now=timezone.now()
    )
    dan = do(hit, "dan", Q1="a", KEY="right")
    results, actions = report_of(mturk, hit, "HIT")
    assert (hit["HITId"], "Q1", "AnswerAgreementScore", "100") in results
    assert [target for _, target, _ in actions] == [ann, dan]
    assert (status_of(bob), status_of(cem)) == ("Submitted", "Rejected")
    check_money()


def test_extension_by_known_answers_postpones_the_plurality(mturk, publish):
    hit = publish(
        AssignmentReviewPolicy=known_answers(
            {"KEY": ["right"]}, ExtendIfKnownAnswerScoreIsLessThan=100
        ),
        HITReviewPolicy=plurality(),
    )
    do(hit, "ann", Q1="a", KEY="wrong")
    assert report_of(mturk, hit, "HIT")[0] == []
    do(hit, "bob", Q1="a", KEY="right")
    results, _ = report_of(mturk, hit, "HIT")
    assert (hit["HITId"], "", "HitAgreementScore", "100") in results


def test_report_contains_the_policies_and_the_requested_parts(mturk, publish):
    hit = publish(
        AssignmentReviewPolicy=known_answers(ApproveIfKnownAnswerScoreIsAtLeast=0),
        HITReviewPolicy=plurality(),
    )
    do(hit, "ann", Q1="a")
    of_hit = {"HITId": hit["HITId"]}
    output = mturk.list_review_policy_results_for_hit(**of_hit)
    assert output["HITId"] == hit["HITId"]
    assert output["AssignmentReviewPolicy"] == {"PolicyName": "ScoreMyKnownAnswers/2011-09-01"}
    assert output["HITReviewPolicy"] == {"PolicyName": "SimplePlurality/2011-09-01"}
    [action] = output["AssignmentReviewReport"]["ReviewActions"]
    assert action["CompleteTime"]
    assert set(action) == {
        *("ActionId", "ActionName", "TargetId", "TargetType", "Status", "CompleteTime", "Result")
    }
    only_actions = mturk.list_review_policy_results_for_hit(**of_hit, RetrieveResults=False)
    assert only_actions["AssignmentReviewReport"] == {
        "ReviewResults": [],
        "ReviewActions": [action],
    }
    only_results = mturk.list_review_policy_results_for_hit(**of_hit, RetrieveActions=False)
    assert not only_results["AssignmentReviewReport"]["ReviewActions"]
    hit_level = mturk.list_review_policy_results_for_hit(**of_hit, PolicyLevels=["HIT"])
    assert "AssignmentReviewReport" not in hit_level
    assert "AssignmentReviewPolicy" not in hit_level


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_pages_of_a_report_contain_each_row_once(mturk, publish, size):
    hit = publish(
        AssignmentReviewPolicy=known_answers(ApproveIfKnownAnswerScoreIsAtLeast=0),
        HITReviewPolicy=plurality(ApproveIfWorkerAgreementScoreIsAtLeast=0),
    )
    do(hit, "ann", Q1="a")
    codes, token = [], {}
    while True:
        output = mturk.list_review_policy_results_for_hit(
            HITId=hit["HITId"], MaxResults=size, **token
        )
        reports = [output["AssignmentReviewReport"], output["HITReviewReport"]]
        page = [
            row["ActionId"]
            for report in reports
            for part in ("ReviewResults", "ReviewActions")
            for row in report[part]
        ]
        codes += page
        if "NextToken" not in output:
            break
        assert 1 <= len(page) <= size
        token = {"NextToken": output["NextToken"]}
    assert page == []
    assert len(codes) == len(set(codes)) == 12


def test_hit_without_policies_has_an_empty_report(mturk, publish, do_hit):
    hit, _ = do_hit()
    output = mturk.list_review_policy_results_for_hit(HITId=hit["HITId"])
    output.pop("ResponseMetadata")
    assert output == {"HITId": hit["HITId"]}
    assert not DueReview.objects.exists()


def test_token_of_another_list_is_refused(mturk, publish):
    hit = publish(HITReviewPolicy=plurality())
    token = mturk.list_hits(MaxResults=1)["NextToken"]
    code, _ = refused(mturk.list_review_policy_results_for_hit, HITId=hit["HITId"], NextToken=token)
    assert code == "InvalidParameterValue"


def test_repeated_token_stores_one_policy(mturk, publish):
    fields = {"HITReviewPolicy": plurality(), "UniqueRequestToken": "once"}
    publish(**fields)
    assert refused(publish, **fields)[0] == "HitAlreadyExists"
    assert Hit.objects.get().review_policies.count() == 1


def test_action_interrupted_by_a_crash_runs_once(mturk, publish):
    policy = known_answers(ApproveIfKnownAnswerScoreIsAtLeast=0)
    hit = publish(AssignmentReviewPolicy=policy)
    assignment = do(hit, "ann", Q1="a")
    apply._review_assignments(Hit.objects.get().pk)  # the process dies here
    assert (status_of(assignment), ReviewAction.objects.get().status) == ("Submitted", "Intended")
    assert maintenance.run_due(now=timezone.now())["reviewed"] == 1
    assert maintenance.run_due(now=timezone.now())["reviewed"] == 0
    assert status_of(assignment) == "Approved"
    check_money()


@needs_threads
@pytest.mark.django_db(transaction=True)
def test_concurrent_policy_runs_act_once(mturk, publish):
    hit = publish(
        MaxAssignments=3,
        AssignmentReviewPolicy=known_answers(
            {"KEY": ["right"]},
            RejectIfKnownAnswerScoreIsLessThan=100,
            ExtendIfKnownAnswerScoreIsLessThan=100,
            ExtendMaximumAssignments=9,
        ),
        HITReviewPolicy=plurality(ApproveIfWorkerAgreementScoreIsAtLeast=100),
    )
    for name in ("ann", "bob"):
        do(hit, name, Q1="a", KEY="right")
    do(hit, "cem", Q1="a", KEY="wrong")
    do_once = at_once(
        8, lambda number: apply.apply_policies(hit_pk=Hit.objects.get().pk, now=timezone.now())
    )
    assert not [outcome for outcome in do_once if isinstance(outcome, Exception)]
    assert ReviewAction.objects.count() == 2
    assert Hit.objects.get().max_assignments == 4
    check_money()


@needs_threads
@pytest.mark.django_db(transaction=True)
def test_concurrent_submissions_and_reviews_lose_nothing(mturk, publish):
    hit = publish(
        MaxAssignments=6,
        AssignmentReviewPolicy=known_answers({"Q1": ["a"]}, ApproveIfKnownAnswerScoreIsAtLeast=100),
        HITReviewPolicy=plurality(ApproveIfWorkerAgreementScoreIsAtLeast=100),
    )
    workers = [make_worker(f"worker{number}") for number in range(6)]
    codes = [accept(log_in(worker), hit) for worker in workers]
    pk = Hit.objects.get().pk

    def act(number: int) -> None:
        now = timezone.now()
        if number < 6:
            fields = [("Q1", "a")]
            work.submit(
                worker_code=workers[number].code,
                assignment_code=codes[number],
                fields=fields,
                now=now,
            )
        apply.apply_policies(hit_pk=pk, now=now)

    outcomes = at_once(9, act)
    assert not [outcome for outcome in outcomes if outcome is not None]
    apply.apply_policies(hit_pk=pk, now=timezone.now())
    assert not DueReview.objects.exists()
    assert {row.status for row in Assignment.objects.all()} == {"Approved"}
    results, actions = report_of(mturk, hit, "HIT")
    assert [key for _, _, key, _ in results].count("HitAgreementScore") == 1
    assert {status for *_, status in actions} == {"Succeeded"}
    check_money()


def test_policies_of_other_requesters_are_not_shown(site, publish):
    hit = publish(HITReviewPolicy=plurality())
    other = mturk_client(site, *make_requester("other")[1:])
    code, _ = refused(other.list_review_policy_results_for_hit, HITId=hit["HITId"])
    assert code == "HITDoesNotExist"
