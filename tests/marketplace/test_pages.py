"""The pages in a real browser: work in the frame, keyboard, 360 pixels and accessibility."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone
from playwright.sync_api import expect

from marketplace.domain.accounts import accounts
from marketplace.domain.notifications.worker_messages import write_to_requester
from marketplace.domain.work.consent import publish_consent_text
from marketplace.models import Appeal, Assignment, Requester
from marketplace.views.frame import origin_of
from tests.axe import LOOKS, axe_findings

from .conftest import accept, log_in_as, overflow, question, submit

pytestmark = [pytest.mark.django_db, pytest.mark.browser]

TASK = """<!doctype html><title>Task</title><p id=parameters></p>
<form method=post><input type=hidden name=assignmentId>
<label>Answer <input name=content></label><button>Submit</button></form>
<script>
const query = new URLSearchParams(location.search);
document.getElementById('parameters').textContent = [...query].join(' ') + ' origin ' + self.origin;
const form = document.forms[0];
form.elements.assignmentId.value = query.get('assignmentId');
if (query.get('turkSubmitTo')) form.action = query.get('turkSubmitTo') + '/mturk/externalSubmit';
</script>"""


@pytest.fixture
def task_site():
    """Serve a requester's page on another origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(TASK.encode() if "assignmentId" in self.path else b"")

        def log_message(self, *args) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/task"
    server.shutdown()
    server.server_close()


@pytest.fixture
def own_task_site(task_site, settings) -> str:
    """Serve a page of the site itself, whose frame has an opaque origin."""
    settings.SITE_URL = origin_of(task_site)
    return task_site


def test_hits_are_done_in_the_sandboxed_frame(page, site, worker, publish, own_task_site):
    for number in range(2):
        publish(Question=question(f"{own_task_site}?item={number}"))
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/")
    page.get_by_role("button", name="Accept one for $0.05").click()
    page.wait_for_url("**/hits/work/*/")
    frame = page.frame_locator("#task")
    parameters = frame.locator("#parameters").inner_text()
    assert f"workerId,{worker.code}" in parameters
    assert parameters.endswith("origin null")
    first = page.url
    frame.get_by_label("Answer").fill("who ran?")
    frame.get_by_role("button", name="Submit").click()
    # Auto-accept is on, so the page continues without a click.
    page.wait_for_url(lambda url: "/hits/work/" in url and url != first)
    page.get_by_label("Auto-accept next").uncheck()
    frame.get_by_label("Answer").fill("what ran?")
    frame.get_by_role("button", name="Submit").click()
    page.wait_for_url(f"{site}/hits/")
    rows = Assignment.objects.order_by("pk").values_list("status", "answer")
    assert [status for status, _ in rows] == ["Submitted", "Submitted"]
    assert "who ran?" in rows[0][1]


def test_hit_is_done_by_keyboard_alone(page, site, worker, publish, task_site):
    publish(Question=question(task_site))
    page.goto(f"{site}/hits/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"

    def tab_to(name: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            if name in page.evaluate(
                "(e => [e.name, e.textContent.trim(), e.id].join(' '))(document.activeElement)"
            ):
                return
        raise AssertionError(f"no way to {name} by keyboard")

    tab_to("username")
    page.keyboard.type("ann")
    tab_to("password")
    page.keyboard.type("a long enough phrase")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/hits/")
    tab_to("Accept one")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hits/work/*/")
    page.frame_locator("#task").get_by_label("Answer").wait_for()
    tab_to("task")
    page.keyboard.type("who ran?")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/hits/")
    assert Assignment.objects.get().status == "Submitted"


def test_forged_message_has_no_effect(page, site, worker, publish, task_site):
    publish(Question=question(task_site))
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/")
    page.get_by_role("button", name="Accept one for $0.05").click()
    page.wait_for_url("**/hits/work/*/")
    frame = next(frame for frame in page.frames if frame.url.startswith(task_site))
    assignment = page.url.split("/")[-2]
    message = {"type": "marketplace:submitted", "assignment": assignment}
    with page.expect_navigation():
        frame.evaluate("message => parent.postMessage(message, '*')", message)
    assert page.url.endswith(f"/hits/work/{assignment}/")
    assert "hasn't been submitted" in page.content()
    assert Assignment.objects.get().status == "Accepted"


def test_frame_cannot_leave_for_another_origin(chromium, site, worker, publish, task_site):
    publish(Question=question(task_site))
    context = chromium.new_context()
    page = context.new_page()
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/")
    page.get_by_role("button", name="Accept one for $0.05").click()
    page.wait_for_url("**/hits/work/*/")
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    frame = next(frame for frame in page.frames if frame.url.startswith(task_site))
    elsewhere = task_site.replace("127.0.0.1", "localhost") + "?assignmentId=x"
    frame.evaluate("url => { location.href = url }", elsewhere)
    page.wait_for_timeout(500)
    assert any("frame-src" in text for text in refused), refused
    context.close()


def test_page_that_refuses_the_worker_is_replaced(page, site, worker, publish, task_site):
    for number in range(2):
        publish(Question=question(f"{task_site}?item={number}"))
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/")
    page.get_by_role("button", name="Accept one for $0.05").click()
    page.wait_for_url("**/hits/work/*/")
    for _ in range(2):
        frame = next(frame for frame in page.frames if frame.url.startswith(task_site))
        assignment = page.url.split("/")[-2]
        message = {"type": "marketplace:not-for-you", "assignment": assignment}
        with page.expect_navigation():
            frame.evaluate("message => parent.postMessage(message, '*')", message)
    assert page.url == f"{site}/hits/"
    expect(page.get_by_text("No more tasks of this group are available to you")).to_be_visible()


def test_returning_a_hit_is_confirmed(page, site, worker, publish, task_site):
    publish(Question=question(task_site))
    log_in_as(page, site, worker)
    page.goto(f"{site}/hits/")
    page.get_by_role("button", name="Accept one for $0.05").click()
    page.get_by_role("button", name="Return this task").click()
    dialog = page.get_by_role("dialog")
    assert axe_findings(page) == []
    dialog.get_by_role("button", name="Keep working").click()
    expect(dialog).to_be_hidden()
    assert Assignment.objects.get().status == "Accepted"
    page.get_by_role("button", name="Return this task").click()
    dialog.get_by_role("button", name="Return task").click()
    page.wait_for_url(f"{site}/hits/")
    assert Assignment.objects.get().status == "Returned"


def test_pages_are_compact_at_360_pixels(page, site, worker, busy):
    page.set_viewport_size({"width": 360, "height": 740})
    log_in_as(page, site, worker)
    work = Assignment.objects.get(status="Accepted")
    for path in ("", "history/", "earnings/", "messages/"):
        page.goto(f"{site}/hits/{path}")
        assert page.locator(".market-header").bounding_box()["height"] < 120
    page.goto(f"{site}/hits/work/{work.code}/")
    assert page.locator(".market-bar").bounding_box()["height"] < 90
    page.goto(f"{site}/hits/history/")
    for column in ("State", "Pay ($)"):
        box = page.get_by_role("columnheader", name=column).bounding_box()
        assert box["x"] + box["width"] <= 360, column
    page.goto(f"{site}/hits/earnings/")
    box = page.get_by_role("columnheader", name="Total ($)").bounding_box()
    assert box["x"] + box["width"] <= 360


@pytest.fixture
def busy(mturk, publish, browser, worker, task_site):
    """Return a worker who has data on every page."""
    kind = {"Description": "Passed both rounds", "QualificationTypeStatus": "Active"}
    for name in ("Trained", "Consolidator"):
        created = mturk.create_qualification_type(Name=name, **kind)["QualificationType"]
    ids = {"QualificationTypeId": created["QualificationTypeId"], "WorkerId": worker.code}
    mturk.associate_qualification_with_worker(**ids, IntegerValue=90)
    for decision in ("approve", "reject"):
        hit = publish(Title=decision, Question=question(task_site))
        assignment = accept(browser, hit)
        submit(browser, assignment)
        decide = getattr(mturk, f"{decision}_assignment")
        decide(AssignmentId=assignment, RequesterFeedback="One question was missing")
    browser.post(f"/hits/history/{assignment}/appeal/", {"text": "There is only one role."})
    accept(browser, publish(MaxAssignments=2, Question=question(task_site)))
    absent = {"QualificationTypeId": created["QualificationTypeId"], "Comparator": "DoesNotExist"}
    publish(Title="For others", QualificationRequirements=[absent], Question=question(task_site))
    return created["QualificationTypeId"]


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_workers_pages_are_accessible_and_fit(*, page, site, worker, busy, look):
    width, scheme = look
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=scheme)
    invitation = accounts.invite(count=1, now=timezone.now())[0].code
    paths = ["login/", f"join/{invitation}/"]
    work = Assignment.objects.get(status="Accepted")
    done, lab = Assignment.objects.get(status="Approved"), Requester.objects.get()
    write_to_requester(worker=worker, requester=lab, text="Why?", now=timezone.now())
    inside = ["", "history/", "earnings/", "messages/", "qualifications/", "account/"]
    inside += [f"qualifications/{busy}/request/", f"work/{work.code}/"]
    inside += [f"groups/{work.hit_type.code}/", f"requesters/{lab.code}/"]
    inside += [f"requesters/{lab.code}/messages/?hit={work.hit.code}", f"history/{done.code}/"]
    inside += ["account/email/", "account/close/", "consent/"]
    publish_consent_text(text="Who we are\n\nA lab.", now=timezone.now())
    results = {}
    for path in paths:
        page.goto(f"{site}/hits/{path}")
        results[path] = (axe_findings(page), max(0, overflow(page)))
    log_in_as(page, site, worker)
    for path in inside:
        page.goto(f"{site}/hits/{path}")
        results[path] = (axe_findings(page), max(0, overflow(page)))
    assert {path: result for path, result in results.items() if result != ([], 0)} == {}


@pytest.mark.parametrize("width", [360, 1200])
def test_operators_pages_are_accessible_and_fit(*, page, site, worker, busy, width, client):
    page.set_viewport_size({"width": width, "height": 740})
    today = timezone.now().date()
    page.goto(f"{site}/hits/operator/login/")
    assert axe_findings(page) == []
    client.force_login(get_user_model().objects.create_superuser("root", "r@example.org", "x"))
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": site}])
    lab, appeal = Requester.objects.get(), Appeal.objects.get()
    paths = ["", f"requesters/{lab.code}/", "workers/", f"workers/{worker.code}/", "appeals/"]
    paths += [
        f"appeals/{appeal.pk}/",
        "payouts/",
        "consent/",
        f"statement/?first={today}&last={today}",
    ]
    results = {}
    for path in paths:
        page.goto(f"{site}/hits/operator/{path}")
        results[path] = (axe_findings(page), max(0, overflow(page)))
    assert {path: result for path, result in results.items() if result != ([], 0)} == {}
