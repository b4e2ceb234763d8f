"""A task page of another origin in the marketplace's frame, in a real browser."""

from collections.abc import Iterator
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from defusedxml.ElementTree import fromstring
from django.conf import settings
from playwright.sync_api import Browser, expect

from marketplace.domain.accounts import accounts

from .conftest import accept, log_in, question

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TASK = """<!doctype html><html lang="en"><title>Survey</title>
<form method="post"><button>Start</button><output></output></form>
<script>
  const query = new URLSearchParams(location.search);
  const form = document.forms[0];
  form.action = `${query.get("turkSubmitTo")}/mturk/externalSubmit`;
  const add = (name, value) => {
    const field = document.createElement("input");
    [field.type, field.name, field.value] = ["hidden", name, value];
    form.append(field);
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    localStorage.setItem("step", "stored");
    const popup = window.open("/popup");
    const opened = await new Promise((resolve) => {
      window.onmessage = ({ data, source }) => resolve(source === popup ? data : "other");
    });
    const session = await (await fetch("/session")).text();
    add("assignmentId", query.get("assignmentId"));
    add("storage", localStorage.getItem("step"));
    add("popup", opened);
    add("session", session);
    add("confirmed", String(confirm("Submit the survey?")));
    form.submit();
  };
</script></html>"""
POPUP = """<!doctype html><html lang="en"><title>Instructions</title>
<script>opener.postMessage("opened", "*"); close();</script></html>"""


class Tool(BaseHTTPRequestHandler):
    """A requester's tool with a session cookie."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        session = SimpleCookie(self.headers.get("Cookie", "")).get("participant")
        state = session.value if session else "unknown"
        page = {"/task": TASK, "/popup": POPUP, "/session": state}.get(path, "")
        data = page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        if path == "/task":
            self.send_header("Set-Cookie", "participant=7; SameSite=None; Secure; Path=/")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Print nothing. The output of a test is for failures."""


@pytest.fixture
def tool() -> Iterator[str]:
    """Return the address of a tool on another origin of the same site.

    Private windows store only same-site cookies.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), Tool)
    Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_page_with_a_session_is_submitted_and_approved(
    mturk, publish, worker, tool, chromium: Browser
):
    site = settings.MARKETPLACE_URL
    hit = publish(Question=question(f"{tool}/task"))
    cookies = log_in(worker)
    assignment = accept(cookies, hit)
    with chromium.new_context() as context:
        session = cookies.cookies[accounts.COOKIE].value
        context.add_cookies([{"name": accounts.COOKIE, "value": session, "url": site}])
        page = context.new_page()
        dialogs = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.accept()))
        page.goto(f"{site}/hits/work/{assignment}/")
        page.frame_locator("#task").get_by_role("button", name="Start").click()
        expect(page).to_have_url(f"{site}/hits/")
    assert dialogs == ["Submit the survey?"]
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    texts = [element.text for element in fromstring(row["Answer"]).iter() if not len(element)]
    assert dict(zip(texts[::2], texts[1::2], strict=True)) == {
        "storage": "stored",
        "popup": "opened",
        "session": "7",
        "confirmed": "true",
    }
    mturk.approve_assignment(AssignmentId=row["AssignmentId"])
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert row["AssignmentStatus"] == "Approved"
