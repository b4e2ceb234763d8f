"""HITs with a QuestionForm, published through boto3 and answered on the marketplace's page."""

from datetime import timedelta

import pytest
from defusedxml.ElementTree import fromstring
from django.test import Client
from django.utils import timezone

from marketplace.domain.questions.content_keys import content_key
from marketplace.domain.work import work
from marketplace.models import Assignment, Hit, LedgerEntry

from .conftest import accept, log_in, make_worker
from .question_forms import (
    FORM,
    NAMESPACE_2005,
    NAMESPACE_2017,
    form_question,
    free_text,
    question_form,
    selection,
)
from .test_operations import refused

pytestmark = pytest.mark.django_db
ANSWERS = {"question_1": "C2", "question_2": "1", "question_3": ["0", "2"]}


@pytest.fixture
def accepted(publish, browser) -> str:
    return accept(browser, publish(Question=FORM))


def post(browser: Client, assignment: str, **changes):
    return browser.post(f"/hits/work/{assignment}/answers/", ANSWERS | changes)


def elements(answer: str) -> list[list[tuple[str, str | None]]]:
    return [
        [(child.tag.partition("}")[2], child.text) for child in element]
        for element in fromstring(answer)
    ]


@pytest.mark.parametrize("namespace", [NAMESPACE_2005, NAMESPACE_2017])
def test_form_is_published_answered_and_approved(mturk, publish, browser, namespace):
    form = FORM.replace(NAMESPACE_2017, namespace)
    hit = publish(Question=form)
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["Question"] == form
    assert Hit.objects.get().external_url == ""
    assignment = accept(browser, hit)
    page = browser.get(f"/hits/work/{assignment}/")
    text = page.content.decode()
    assert "<iframe" not in text
    assert "It is <b>X</b>\xa0to move." in text
    assert "no-store" in page["Cache-Control"]
    response = post(browser, assignment, accepts_next="on")
    assert response.url == "/hits/"
    [row] = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert row["AssignmentStatus"] == "Submitted"
    assert elements(row["Answer"]) == [
        [("QuestionIdentifier", "move"), ("FreeText", "C2")],
        [("QuestionIdentifier", "chance"), ("SelectionIdentifier", "even")],
        [
            ("QuestionIdentifier", "signs"),
            ("SelectionIdentifier", "fork"),
            ("SelectionIdentifier", "trap"),
        ],
    ]
    assert mturk.get_assignment(AssignmentId=assignment)["Assignment"]["Answer"] == row["Answer"]
    mturk.approve_assignment(AssignmentId=assignment)
    assert mturk.get_account_balance()["AvailableBalance"] == "999.94"


def test_invalid_form_is_refused(mturk, publish):
    code, message = refused(
        publish, Question=question_form(form_question("q", "<FileUploadAnswer/>"))
    )
    assert code == "XMLParseError"
    assert "FileUploadAnswer is not supported" in message
    content = "<FormattedContent><![CDATA[<script>x</script>]]></FormattedContent>"
    bad = question_form(form_question("q", free_text(), content=content))
    assert refused(publish, Question=bad)[0] == "XHTMLParseError"
    assert mturk.list_hits()["NumResults"] == 0
    assert mturk.get_account_balance()["AvailableBalance"] == "1000.00"


def test_problems_are_shown_next_to_the_fields(browser, accepted):
    page = post(browser, accepted, question_1="A long move", question_2="")
    assert page.status_code == 200
    form = page.context["form"]
    assert dict(form.errors) == {
        "question_1": ["Enter exactly 2 characters. The answer has 11."],
        "question_2": ["Choose an answer."],
    }
    html = page.content.decode()
    assert '<a href="#id_question_2_0">The chance</a>: Choose an answer.' in html
    assert 'aria-describedby="id_question_1_error"' in html
    assert 'value="A long move"' in html
    assert Assignment.objects.get().status == "Accepted"


@pytest.mark.parametrize("value", ["3", "-1", "low"])
def test_unknown_selection_is_refused(browser, accepted, value):
    assert post(browser, accepted, question_2=value).status_code == 200
    assert Assignment.objects.get().status == "Accepted"


def test_repeated_selection_counts_once(mturk, browser, accepted):
    assert post(browser, accepted, question_3=["2", "0", "2", "2"]).status_code == 302
    [hit] = mturk.list_hits()["HITs"]
    [row] = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert elements(row["Answer"])[2][1:] == [
        ("SelectionIdentifier", "fork"),
        ("SelectionIdentifier", "trap"),
    ]


def test_repeated_submission_changes_nothing(browser, accepted):
    assert post(browser, accepted).status_code == 302
    before = (Assignment.objects.values().get(), LedgerEntry.objects.count())
    assert post(browser, accepted).status_code == 302
    assert post(browser, accepted, question_1="B1").status_code == 302
    assert post(browser, accepted, question_1="invalid").status_code == 302
    assert (Assignment.objects.values().get(), LedgerEntry.objects.count()) == before


def test_late_submission_is_refused_and_frees_the_hit(browser, accepted):
    Assignment.objects.update(deadline_at=timezone.now() - timedelta(seconds=6))
    response = post(browser, accepted)
    assert response.url == f"/hits/work/{accepted}/"
    assert "The time for this task has expired." in browser.get(response.url).content.decode()
    assert Assignment.objects.get().status == "Abandoned"
    assert Hit.objects.get().available == 1


def test_answers_beyond_the_limit_are_refused(monkeypatch, publish, browser):
    monkeypatch.setattr(work, "MAX_ANSWER_LENGTH", 1_000)
    questions = [form_question(f"q{number}", free_text(lines=5)) for number in range(3)]
    assignment = accept(browser, publish(Question=question_form(*questions)))
    long = {f"question_{number}": "x" * 400 for number in (1, 2, 3)}
    page = browser.post(f"/hits/work/{assignment}/answers/", long)
    assert page.status_code == 200
    assert "The answers are longer than 1,000 characters." in page.content.decode()


def test_only_the_worker_of_the_assignment_can_answer(browser, accepted, publish):
    other = log_in(make_worker("bob"))
    assert post(other, accepted).status_code == 404
    assert post(Client(), accepted).url.startswith("/hits/login/")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = browser.cookies
    assert post(strict, accepted).status_code == 403
    external = accept(browser, publish())
    assert post(browser, external).status_code == 404
    assert browser.get(f"/hits/work/{accepted}/answers/").url == f"/hits/work/{accepted}/"


def test_preview_shows_the_form_disabled(publish, browser):
    hit = publish(Question=FORM)
    page = browser.get(f"/hits/groups/{hit['HITTypeId']}/")
    html = page.content.decode()
    assert "<iframe" not in html
    assert html.count("disabled") == 7
    assert browser.get(f"/hits/{hit['HITId']}/").content.decode().count("disabled") == 7


def test_page_may_load_only_the_media_of_the_form(publish, browser):
    def binary(kind: str, host: str) -> str:
        return (
            f"<Binary><MimeType><Type>{kind}</Type></MimeType>"
            f"<DataURL>https://{host}/file</DataURL><AltText>x</AltText></Binary>"
        )

    formatted = (
        "<FormattedContent><![CDATA[<img src='https://b.example/x' alt=''/>]]></FormattedContent>"
    )
    overview = f"<Overview>{binary('image', 'a.example')}{binary('audio', 'c.example')}</Overview>"
    form = question_form(overview, form_question("q", free_text(), content=formatted))
    hit = publish(Question=form)
    preview = browser.get(f"/hits/groups/{hit['HITTypeId']}/")
    page = browser.get(f"/hits/work/{accept(browser, hit)}/")
    for response in (preview, page):
        policy = response["Content-Security-Policy"].split("; ")
        assert "img-src 'self' data: https://a.example https://b.example" in policy
        assert "media-src https://c.example" in policy
        assert "default-src 'self'" in policy
    assert "https://a.example" not in browser.get("/hits/")["Content-Security-Policy"]


def test_text_keeps_line_breaks_and_default_and_number_loses_space(mturk, publish, browser):
    form = question_form(
        form_question("text", free_text(lines=3, default="Begin")),
        form_question("number", free_text('<IsNumeric minValue="1"/>')),
        form_question("pick", selection("a", "b", style="dropdown"), is_required=False),
    )
    hit = publish(Question=form)
    assignment = accept(browser, hit)
    assert "Begin</textarea>" in browser.get(f"/hits/work/{assignment}/").content.decode()
    answers = {"question_1": " one\r\ntwo", "question_2": " 12 ", "question_3": ""}
    assert browser.post(f"/hits/work/{assignment}/answers/", answers).status_code == 302
    [row] = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert elements(row["Answer"]) == [
        [("QuestionIdentifier", "text"), ("FreeText", " one\ntwo")],
        [("QuestionIdentifier", "number"), ("FreeText", "12")],
        [("QuestionIdentifier", "pick")],
    ]


def test_content_host_has_no_page_for_a_form(settings, publish):
    settings.MARKETPLACE_CONTENT_URL = "http://content.example"
    settings.ALLOWED_HOSTS = ["*"]
    hit = publish(Question=FORM)
    address = f"/hits/{hit['HITId']}/content/?key={content_key(hit['HITId'])}"
    response = Client().get(address, headers={"Host": "content.example"})
    assert response.status_code == 404
