"""Qualification tests: created through boto3, taken on the marketplace's page, scored and granted."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from marketplace.models import QualificationAttempt, QualificationRequest, QualificationType
from tests.wording import faults_in, texts_of

from .conftest import accept, log_in, make_worker
from .question_forms import (
    FORM,
    KEY,
    TEST,
    answer_key,
    form_question,
    free_text,
    key_question,
    question_form,
    ranges,
)
from .test_operations import refused

pytestmark = pytest.mark.django_db
TYPE = {"Name": "Tools", "Description": "Knows tools.", "QualificationTypeStatus": "Active"}
TIMED = {"Test": TEST, "TestDurationInSeconds": 600}
RIGHT = {"question_1": "0", "question_2": ["0", "1"]}
HALF = {"question_1": "1", "question_2": ["0", "1"]}


@pytest.fixture
def make(mturk):
    """Return a function that creates a qualification type and returns its id."""

    def make_type(**fields) -> str:
        created = mturk.create_qualification_type(**TYPE | TIMED | fields)
        return created["QualificationType"]["QualificationTypeId"]

    return make_type


def page_of(code: str) -> str:
    return f"/hits/qualifications/{code}/test/"


def start(browser, code: str):
    return browser.post(f"{page_of(code)}start/")


def take(browser, code: str, answers=None):
    start(browser, code)
    return browser.post(page_of(code), RIGHT if answers is None else answers)


def score_of(mturk, worker, code: str) -> int:
    qualification = mturk.get_qualification_score(QualificationTypeId=code, WorkerId=worker.code)
    return qualification["Qualification"]["IntegerValue"]


def texts_after(browser, response) -> str:
    return browser.get(response.url).content.decode()


def expire_attempts(code: str) -> None:
    """Move the deadline of open attempts into the past."""
    past_deadline = timezone.now() - timedelta(seconds=6)
    QualificationAttempt.objects.filter(closed_at=None).update(deadline_at=past_deadline)


def test_definition_and_key_are_returned(mturk, make):
    code = make(AnswerKey=KEY)
    kind = mturk.get_qualification_type(QualificationTypeId=code)["QualificationType"]
    assert (kind["Test"], kind["AnswerKey"]) == (TEST, KEY)
    assert kind["TestDurationInSeconds"] == 600


@pytest.mark.parametrize(
    ("fields", "code", "message_part"),
    [
        ({"Test": "<QuestionForm/>"}, "XMLParseError", "namespace"),
        ({"Test": ""}, "XMLParseError", "well-formed"),
        ({"Test": question_form()}, "XMLParseError", "Question"),
        ({"AnswerKey": "<AnswerKey/>"}, "XMLParseError", "namespace"),
        ({"AnswerKey": KEY, "Test": FORM}, "XMLParseError", "selections only"),
        ({"AutoGranted": True}, "InvalidParameterValue", "AutoGranted"),
    ],
)
def test_invalid_definition_is_refused(mturk, fields, code, message_part):
    refusal = refused(mturk.create_qualification_type, **TYPE | TIMED | fields)
    assert refusal[0] == code
    assert message_part in refusal[1]


def test_update_replaces_test_duration_and_key_together(mturk, make):
    code = make(AnswerKey=KEY)
    update = {"QualificationTypeId": code}
    for fields in ({"Test": TEST}, {"AnswerKey": KEY}, {"TestDurationInSeconds": 60}):
        refusal = refused(mturk.update_qualification_type, **update, **fields)
        assert refusal[0] == "InvalidParameterValue"
    granted = refused(mturk.update_qualification_type, **update, AutoGranted=True)
    assert granted[0] == "InvalidParameterValue"
    unchanged = mturk.update_qualification_type(**update, Description="new")["QualificationType"]
    assert (unchanged["AnswerKey"], unchanged["Test"]) == (KEY, TEST)
    changed = mturk.update_qualification_type(**update, Test=FORM, TestDurationInSeconds=60)
    kind = changed["QualificationType"]
    assert (kind["Test"], kind["TestDurationInSeconds"]) == (FORM, 60)
    assert "AnswerKey" not in kind
    keyed = mturk.update_qualification_type(**update, **TIMED, AnswerKey=KEY)
    assert keyed["QualificationType"]["AnswerKey"] == KEY


def test_other_requesters_and_workers_do_not_see_the_key(site, make, browser):
    from .conftest import make_requester, mturk_client

    code = make(AnswerKey=KEY)
    other = mturk_client(site, *make_requester("other")[1:])
    kind = other.get_qualification_type(QualificationTypeId=code)["QualificationType"]
    assert "AnswerKey" not in kind
    start(browser, code)
    assert "AnswerScore" not in browser.get(page_of(code)).content.decode()


@pytest.mark.parametrize("attempt", [(RIGHT, 100), (HALF, 50), (RIGHT | {"question_2": ["0"]}, 75)])
def test_answers_are_scored_and_the_qualification_is_granted(mturk, make, worker, browser, attempt):
    answers, score = attempt
    code = make(AnswerKey=KEY)
    introduction = browser.get(page_of(code)).content.decode()
    assert "Start the test" in introduction
    assert "10 minutes" in introduction
    assert "Which is a fruit?" not in introduction
    response = take(browser, code, answers)
    assert f"Your score is {score}." in texts_after(browser, response)
    assert score_of(mturk, worker, code) == score
    assert mturk.list_qualification_requests()["NumResults"] == 0


def test_score_is_mapped_and_opens_the_hit(mturk, make, publish, worker, browser):
    key = answer_key(key_question("fruit", {"apple": 1}), mapping=ranges((1, 1, 7), otherwise=2))
    code = make(AnswerKey=key)
    needs = {"QualificationTypeId": code, "Comparator": "GreaterThan", "IntegerValues": [6]}
    hit = publish(QualificationRequirements=[needs])
    link = f'href="{page_of(code)}"'
    for url in ("/hits/", f"/hits/groups/{hit['HITTypeId']}/"):
        assert link in browser.get(url).content.decode()
    take(browser, code)
    assert score_of(mturk, worker, code) == 7
    page = browser.get("/hits/").content.decode()
    assert link not in page
    assert "Accept one" in page


def test_answers_without_a_key_are_reviewed(mturk, make, worker, browser):
    code = make(Test=FORM)
    answers = {"question_1": "C2", "question_2": "1"}
    assert "reviews them" in texts_after(browser, take(browser, code, answers))
    [request] = mturk.list_qualification_requests(QualificationTypeId=code)["QualificationRequests"]
    assert (request["WorkerId"], request["Test"]) == (worker.code, FORM)
    assert "<FreeText>C2</FreeText>" in request["Answer"]
    assert "<SelectionIdentifier>even</SelectionIdentifier>" in request["Answer"]
    pending = browser.get(page_of(code)).content.decode()
    assert "You already have a pending request" in pending
    mturk.accept_qualification_request(
        QualificationRequestId=request["QualificationRequestId"], IntegerValue=3
    )
    assert score_of(mturk, worker, code) == 3


def test_request_has_the_test_that_the_worker_took(mturk, make, worker, browser):
    code = make()
    start(browser, code)
    update = {"Test": FORM, "TestDurationInSeconds": 60, "QualificationTypeId": code}
    mturk.update_qualification_type(**update)
    assert "Which is a fruit?" in browser.get(page_of(code)).content.decode()
    browser.post(page_of(code), RIGHT)
    [request] = mturk.list_qualification_requests()["QualificationRequests"]
    assert request["Test"] == TEST


def test_problems_keep_the_attempt_open(make, browser):
    code = make(AnswerKey=KEY)
    page = take(browser, code, {"question_1": "0"})
    assert dict(page.context["form"].errors) == {"question_2": ["Choose one or more answers."]}
    assert QualificationRequest.objects.count() == 0
    assert browser.post(page_of(code), RIGHT).status_code == 302


def test_answers_after_the_deadline_are_refused(make, browser):
    code = make(AnswerKey=KEY)
    start(browser, code)
    expire_attempts(code)
    for page in (browser.post(page_of(code), RIGHT), browser.get(page_of(code))):
        html = page.content.decode()
        assert "The time for this test has expired." in html
        assert "This qualification can only be requested once." in html
        assert "Which is a fruit?" not in html
    start(browser, code)
    assert QualificationAttempt.objects.count() == 1
    assert QualificationRequest.objects.count() == 0


def test_answers_just_after_the_deadline_are_accepted(mturk, make, worker, browser):
    code = make(AnswerKey=KEY)
    start(browser, code)
    QualificationAttempt.objects.update(deadline_at=timezone.now() - timedelta(seconds=2))
    browser.post(page_of(code), RIGHT)
    assert score_of(mturk, worker, code) == 100


def test_reloading_and_starting_again_keep_the_deadline(make, browser):
    code = make()
    start(browser, code)
    before = QualificationAttempt.objects.values().get()
    start(browser, code)
    browser.get(page_of(code))
    assert QualificationAttempt.objects.values().get() == before


@pytest.mark.django_db(transaction=True)
def test_concurrent_starts_create_one_attempt(make, worker):
    code = make()
    browsers = [log_in(worker) for _ in range(6)]

    def start_and_close(browser) -> int:
        try:
            return start(browser, code).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(browsers)) as pool:
        assert set(pool.map(start_and_close, browsers)) == {302}
    assert QualificationAttempt.objects.count() == 1


def test_attempt_cannot_be_repeated_without_a_retry_delay(mturk, make, worker, browser):
    code = make(AnswerKey=KEY)
    take(browser, code, HALF)
    take(browser, code, RIGHT)
    assert score_of(mturk, worker, code) == 50
    assert "can only be requested once" in browser.get(page_of(code)).content.decode()


@pytest.mark.parametrize("is_over", [False, True])
def test_attempt_can_be_repeated_after_the_retry_delay(mturk, make, worker, browser, is_over):
    code = make(AnswerKey=KEY, RetryDelayInSeconds=3600)
    start(browser, code)
    if is_over:
        expire_attempts(code)
    browser.post(page_of(code), HALF)
    start(browser, code)
    assert QualificationAttempt.objects.count() == 1
    assert "again at" in browser.get(page_of(code)).content.decode()
    hour = timedelta(hours=1)
    QualificationAttempt.objects.update(started_at=timezone.now() - hour)
    QualificationRequest.objects.update(submitted_at=timezone.now() - hour)
    take(browser, code)
    assert score_of(mturk, worker, code) == 100
    assert QualificationAttempt.objects.filter(closed_at=None).count() == 0


def test_repeated_submission_changes_nothing(mturk, make, worker, browser):
    code = make(AnswerKey=KEY)
    take(browser, code, HALF)
    again = browser.post(page_of(code), RIGHT)
    assert "You have no test in progress." in texts_after(browser, again)
    assert score_of(mturk, worker, code) == 50
    assert QualificationRequest.objects.count() == 1


def test_qualification_test_cannot_be_skipped(make, browser):
    code = make(AnswerKey=KEY)
    skipped = browser.post(f"/hits/qualifications/{code}/request/", {"answer": "please"})
    assert skipped.url == page_of(code)
    browser.post(page_of(code), RIGHT)
    assert QualificationRequest.objects.count() == 0


def test_attempts_belong_to_their_worker(make, browser):
    code = make(AnswerKey=KEY)
    start(browser, code)
    other = log_in(make_worker("bob"))
    assert "Which is a fruit?" not in other.get(page_of(code)).content.decode()
    other.post(page_of(code), RIGHT)
    assert QualificationRequest.objects.count() == 0


def test_page_of_inactive_deleted_and_testless_types_is_not_found(mturk, make, browser):
    code = make()
    mturk.update_qualification_type(QualificationTypeId=code, QualificationTypeStatus="Inactive")
    start(browser, code)
    assert QualificationAttempt.objects.count() == 0
    mturk.delete_qualification_type(QualificationTypeId=code)
    assert browser.get(page_of(code)).status_code == 404
    plain = mturk.create_qualification_type(**TYPE)["QualificationType"]["QualificationTypeId"]
    assert browser.get(page_of(plain)).status_code == 404
    assert start(browser, plain).status_code == 404


def test_type_that_gets_a_test_later_requires_it(mturk, browser):
    created = mturk.create_qualification_type(**TYPE, AutoGranted=False)
    code = created["QualificationType"]["QualificationTypeId"]
    mturk.update_qualification_type(QualificationTypeId=code, **TIMED)
    response = browser.get(f"/hits/qualifications/{code}/request/")
    assert response.url == page_of(code)
    assert QualificationType.objects.get().test == TEST


def test_page_texts_follow_the_style_guide(make, publish, browser):
    code = make(AnswerKey=KEY)
    hit = publish(Question=FORM)
    introduction = browser.get(page_of(code))
    form = take(browser, code, {})
    expire_attempts(code)
    over = browser.get(page_of(code))
    assignment = accept(browser, hit)
    answers = browser.post(f"/hits/work/{assignment}/answers/", {})
    for page in (introduction, form, over, answers):
        assert faults_in(texts_of(page.content.decode())) == []


def test_free_text_question_without_key_is_allowed(make, browser):
    code = make(Test=question_form(form_question("why", free_text(lines=4))))
    take(browser, code, {"question_1": "Because."})
    assert "Because." in QualificationRequest.objects.get().answer
