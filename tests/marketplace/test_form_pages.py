"""Question forms and qualification tests in a real browser: keyboard, time limits and accessibility."""

import re

import pytest
from playwright.sync_api import Page, expect

from marketplace.models import Assignment, QualificationAttempt
from tests.axe import LOOKS, axe_findings

from .conftest import accept, log_in_as, overflow
from .question_forms import (
    FORM,
    KEY,
    TEST,
    answer_format,
    form_question,
    free_text,
    question_form,
    selection,
)

pytestmark = [pytest.mark.django_db, pytest.mark.browser]
TYPE = {"Name": "Tools", "Description": "Knows tools.", "QualificationTypeStatus": "Active"}
#: Every kind of field.
LONG_FORM = question_form(
    "<Overview><Title>A survey</Title><Text>Five questions.</Text>"
    "<FormattedContent><![CDATA[<h3>Rules</h3><table><tr><th scope='col'>Move</th><td>C2</td></tr>"
    "</table><p>See <a href='https://rules.example'>the rules</a>.</p>]]></FormattedContent></Overview>",
    form_question("age", free_text('<IsNumeric minValue="18"/>'), name="Your age"),
    form_question(
        "code", free_text(answer_format("^[A-Z]{2}$", "Enter two capitals.")), name="Your code"
    ),
    form_question("story", free_text(lines=4), name="Your story", is_required=False),
    form_question(
        "pet",
        selection("cat", "dog", other="<OtherSelection/>"),
        content="<Text>Which pet do you have?</Text>",
        name="Your pet",
    ),
    form_question("month", selection("june", "july", style="dropdown"), name="The month"),
    form_question(
        "days", selection("monday", "friday", high=2), name="The days", is_required=False
    ),
)


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the focused element's accessible name or text contains `name`."""
    for _ in range(60):
        page.keyboard.press("Tab")
        names = page.evaluate(
            """(() => {
                const element = document.activeElement;
                const ids = (element.getAttribute("aria-labelledby") ?? "").split(" ");
                const labels = [...(element.labels ?? [])].map((label) => label.textContent);
                const named = ids.map((id) => document.getElementById(id)?.textContent ?? "");
                return [...named, ...labels, element.textContent].join(" ");
            })()"""
        )
        if name in names:
            return
    raise AssertionError(f"no way to {name} by keyboard")


def make_type(mturk, **fields) -> str:
    timed = {"Test": TEST, "TestDurationInSeconds": 600, "AnswerKey": KEY}
    created = mturk.create_qualification_type(**TYPE | timed | fields)
    return created["QualificationType"]["QualificationTypeId"]


def test_form_is_answered_by_keyboard_alone(page, site, worker, mturk, publish):
    hit = publish(Question=LONG_FORM)
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/")
    tab_to(page, "Accept one")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hits/work/*/")
    tab_to(page, "Your age")
    page.keyboard.type("7")
    page.keyboard.press("Enter")

    problems = page.get_by_role("alert")
    expect(problems).to_be_focused()
    expect(page).to_have_title(re.compile("^Error: "))
    assert problems.get_by_role("listitem").all_inner_texts() == [
        "Your age: Enter a number of at least 18.",
        "Your code: Enter an answer.",
        "Your pet: Choose an answer.",
        "The month: Choose an answer.",
    ]
    age = page.get_by_role("textbox", name="Your age")
    expect(age).to_have_accessible_description("Enter a number of at least 18.")
    expect(page.get_by_role("radiogroup", name="Your pet")).to_have_accessible_description(
        "Choose an answer."
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(age).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("41")
    tab_to(page, "Your code")
    page.keyboard.type("QA")
    tab_to(page, "The cat")
    page.keyboard.press("ArrowDown")
    tab_to(page, "The month")
    page.keyboard.type("The july")
    tab_to(page, "The friday")
    page.keyboard.press("Space")
    tab_to(page, "Submit answers")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/hits/")

    [row] = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert re.findall("<(?:FreeText|Selection[A-Za-z]*)>(.*?)<", row["Answer"]) == [
        *("41", "QA", "", "dog", "july", "friday")
    ]
    mturk.approve_assignment(AssignmentId=row["AssignmentId"])
    assert Assignment.objects.get().status == "Approved"


def test_form_works_without_scripts(chromium, site, worker, browser, publish):
    assignment = accept(browser, publish(Question=FORM))
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/work/{assignment}/")
    page.get_by_role("textbox", name="The next move").fill("C")
    page.get_by_role("button", name="Submit answers").click()
    expect(page.get_by_text("Enter exactly 2 characters. The answer has 1.").last).to_be_visible()
    page.get_by_role("textbox", name="The next move").fill("C2")
    page.get_by_role("radio", name="The even").check()
    page.get_by_role("button", name="Submit answers").click()
    page.wait_for_url(f"{site}/hits/")
    context.close()
    assert Assignment.objects.get().status == "Submitted"


def test_return_of_a_form_is_confirmed(page, site, worker, browser, publish):
    assignment = accept(browser, publish(Question=FORM))
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/work/{assignment}/")
    expect(page.locator("time")).to_have_text(re.compile(r"^\d\d:\d\d left$"))
    page.get_by_role("button", name="Return this task").click()
    page.get_by_role("button", name="Keep working").click()
    assert Assignment.objects.get().status == "Accepted"
    page.get_by_role("button", name="Return this task").click()
    page.get_by_role("button", name="Return task", exact=True).click()
    page.wait_for_url(f"{site}/hits/")
    assert Assignment.objects.get().status == "Returned"


def test_preview_cannot_be_filled_in(page, site, worker, publish):
    hit = publish(Question=LONG_FORM)
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/groups/{hit['HITTypeId']}/")
    for role in ("textbox", "radio", "checkbox", "combobox"):
        fields = page.get_by_role(role).all()
        assert fields
        for field in fields:
            expect(field).to_be_disabled()


def test_qualification_test_is_taken_by_keyboard_alone(page, site, worker, mturk, publish):
    code = make_type(mturk, TestDurationInSeconds=62)
    needs = {"QualificationTypeId": code, "Comparator": "GreaterThan", "IntegerValues": [70]}
    publish(Question=FORM, QualificationRequirements=[needs])
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/")
    tab_to(page, "Take the test: Tools")
    page.keyboard.press("Enter")
    page.wait_for_url("**/test/")
    tab_to(page, "Start the test")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Submit answers")).to_be_visible()
    clock = page.locator("time")
    expect(clock).to_have_text(re.compile(r"^01:0\d left$|^00:5\d left$"))
    expect(page.get_by_role("status")).to_have_text("1 minute left.")

    tab_to(page, "The apple")
    page.keyboard.press("Space")
    tab_to(page, "Submit answers")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("group", name="Which are tools?")).to_have_accessible_description(
        "Choose one or more answers."
    )
    expect(page.get_by_role("radio", name="The apple")).to_be_checked()
    for name in ("The hammer", "The saw"):
        tab_to(page, name)
        page.keyboard.press("Space")
    tab_to(page, "Submit answers")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your score is 100.")).to_be_visible()

    qualification = mturk.get_qualification_score(QualificationTypeId=code, WorkerId=worker.code)
    assert qualification["Qualification"]["IntegerValue"] == 100
    page.goto(f"{site}/hits/")
    expect(page.get_by_role("button", name="Accept one")).to_be_visible()


def test_page_shows_that_the_time_has_expired(page, site, worker, mturk):
    code = make_type(mturk, TestDurationInSeconds=3)
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/qualifications/{code}/test/")
    page.get_by_role("button", name="Start the test").click()
    page.get_by_role("radio", name="The apple").check()
    expect(page.get_by_text("The time for this test has expired.")).to_be_visible()
    expect(page.get_by_text("This qualification can only be requested once.")).to_be_visible()
    expect(page.get_by_role("radio")).to_have_count(0)
    assert QualificationAttempt.objects.get().request is None


@pytest.fixture(params=LOOKS)
def styled_page(page, request) -> Page:
    width, scheme = request.param
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    return page


def test_pages_are_accessible(styled_page, site, worker, mturk, publish):
    page = styled_page
    code = make_type(mturk)
    test = f"{site}/hits/qualifications/{code}/test/"
    needs = {"QualificationTypeId": code, "Comparator": "Exists"}
    publish(Title="Guarded", QualificationRequirements=[needs])
    hit = publish(Question=LONG_FORM)
    log_in_as(page, site, worker)

    def check() -> None:
        assert axe_findings(page) == [], page.url
        assert overflow(page) <= 0, page.url

    for url in (f"{site}/hits/", f"{site}/hits/groups/{hit['HITTypeId']}/", test):
        page.goto(url)
        check()
    page.get_by_role("button", name="Start the test").click()
    check()
    page.get_by_role("button", name="Submit answers").click()
    expect(page.get_by_role("alert")).to_be_visible()
    check()
    page.goto(f"{site}/hits/groups/{hit['HITTypeId']}/")
    page.get_by_role("button", name="Accept one").click()
    page.wait_for_url("**/hits/work/*/")
    check()
    page.get_by_role("button", name="Submit answers").click()
    expect(page.get_by_role("alert")).to_be_visible()
    check()
