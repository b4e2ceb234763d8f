"""HTMLQuestion documents: validation, and their pages on the content host."""

import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from defusedxml.ElementTree import fromstring
from django.core.signing import Signer, b62_encode
from playwright.sync_api import Browser, expect

from marketplace.domain.accounts import accounts
from marketplace.domain.questions.content_keys import content_key
from marketplace.domain.questions.html_question import prepare_page
from marketplace.domain.questions.question import HTML_NAMESPACE
from marketplace.models import Hit
from marketplace.views.frame import CONTENT_SANDBOX
from scripts.testbed import chromium as browsers
from tests.conftest import CHROMIUM_ARGUMENTS

from .conftest import accept, framed, log_in, read
from .test_operations import refused

pytestmark = pytest.mark.django_db
PAGE = """<!DOCTYPE html>
<html>
  <head>
    <title>Survey</title>
    <script src='https://s3.amazonaws.com/mturk-public/externalHIT_v1.js'></script>
  </head>
  <body>
    <!-- <form action="/mturk/externalSubmit"> -->
    <form name='mturk_form' id='mturk_form' method='post'
          action='https://www.mturk.com/mturk/externalSubmit'>
      <input type='hidden' name='assignmentId' id='assignmentId' value=''>
      <textarea name='comment'>5 < 6 &amp; 7</textarea>
      <input type='submit' id='submitButton' value='Submit'>
    </form>
    <script>turkSetAssignmentID(); const text = "<form action='/mturk/externalSubmit'>";</script>
  </body>
</html>"""


def html_question(html: str = PAGE, height: str = "450") -> str:
    return (
        f'<HTMLQuestion xmlns="{HTML_NAMESPACE}"><HTMLContent><![CDATA[{html}]]></HTMLContent>'
        f"<FrameHeight>{height}</FrameHeight></HTMLQuestion>"
    )


def test_html_question_is_refused_without_a_content_host(publish):
    code, message = refused(publish, Question=html_question())
    assert code == "InvalidParameterValue"
    assert "MARKETPLACE_CONTENT_URL" in message


@pytest.mark.parametrize(
    ("question", "message_part"),
    [
        (html_question("x" * 65_536), "65535 bytes"),
        (html_question(" "), "HTMLContent"),
        (html_question(height="tall"), "FrameHeight"),
        (html_question(height=""), "FrameHeight"),
        (html_question().replace("<![CDATA[", "<p>").replace("]]>", "</p>"), "XML"),
        (html_question("p").replace("<![CDATA[p]]>", "<p>text</p>"), "CDATA"),
        (html_question().replace("2011-11-11", "2012-11-11"), "HTMLQuestion"),
    ],
)
def test_invalid_html_question_is_refused(content, publish, question, message_part):
    code, message = refused(publish, Question=question)
    assert code in {"InvalidParameterValue", "XMLParseError"}
    assert message_part in message


def test_page_is_served_from_the_content_host_with_mturk_parameters(
    site, content, mturk, publish, browser
):
    hit = publish(Question=html_question())
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["Question"] == html_question()
    assert Hit.objects.get().frame_height == 450
    assignment = accept(browser, hit)
    wrapper = browser.get(f"/hits/work/{assignment}/")
    url = framed(wrapper)
    assert url.startswith(f"{content}/hits/{hit['HITId']}/content/?assignmentId={assignment}&")
    assert f"frame-src {content} {site}/hits/submit/;" in wrapper["Content-Security-Policy"] + ";"
    page = read(url, browser)
    assert page.status_code == 200
    assert not page.cookies
    policy = page["Content-Security-Policy"]
    assert policy == f"frame-ancestors {site}; sandbox {CONTENT_SANDBOX}"
    assert "allow-same-origin" not in CONTENT_SANDBOX
    assert "X-Frame-Options" not in page
    html = page.content.decode()
    assert f'action="{site}/hits/submit/' in html
    assert "mturk.com" not in html
    assert "amazonaws" not in html


def test_preview_and_foreign_addresses_have_no_submission_address(content, site, publish, browser):
    hit = publish(Question=html_question())
    preview = framed(browser.get(f"/hits/groups/{hit['HITTypeId']}/"))
    forged = f"{preview}&turkSubmitTo=https://evil.example"
    for url in (preview, forged):
        page = read(url)
        assert 'action=""' in page.content.decode()
        assert page["Content-Security-Policy"].startswith(f"frame-ancestors {site}; ")
        assert page["Content-Security-Policy"].endswith("; form-action 'none'")


def test_page_opens_only_with_a_new_key_of_its_own(content, publish, browser):
    hit = publish(Question=html_question())
    other = publish(Title="Another group", Question=html_question("<p>Secret"))
    address = f"{content}/hits/{hit['HITId']}/content/"
    [key] = parse_qs(urlsplit(framed(browser.get(f"/hits/groups/{hit['HITTypeId']}/"))).query)[
        "key"
    ]
    assert read(f"{address}?key={key}").status_code == 200
    signer, minutes = Signer(salt="marketplace.content"), int(time.time()) // 60
    for age, status in ((4, 200), (6, 410)):
        time_stamp = b62_encode((minutes - age) * 60)
        signed = signer.sign(f"{hit['HITId']}:{time_stamp}")
        assert read(f"{address}?key={signed.partition(':')[2]}").status_code == status
    refused = [address, f"{address}?key=", f"{content}/hits/{other['HITId']}/content/?key={key}"]
    for url in refused:
        page = read(url)
        assert (page.status_code, b"Reload the page of the task" in page.content) == (410, True)


def test_content_host_serves_pages_only(content, publish, browser):
    hit = publish(Question=html_question())
    external = publish()
    for path in ("/", "/login/", "/hits/", "/mturk/", "/admin/", "/health/live"):
        assert read(content + path, browser).status_code == 404
    for code in (external["HITId"], "3NONE"):
        page = read(f"{content}/hits/{code}/content/?key={content_key(code)}")
        assert page.status_code == 404
    assert browser.get(f"/hits/{hit['HITId']}/content/").status_code == 404


@pytest.mark.parametrize(
    ("url", "host", "is_content"),
    [
        ("http://localhost:8001", "localhost:8001", True),
        ("http://localhost:8001", "localhost:8000", False),
        ("http://localhost:8001", "127.0.0.1:8001", False),
        ("https://content.example", "content.example", True),
        ("https://content.example", "content.example:8443", True),
        ("https://content.example", "site.example", False),
        ("", "localhost:8001", False),
    ],
)
def test_content_host_is_recognized(client, settings, url, host, is_content):
    settings.MARKETPLACE_CONTENT_URL = url
    settings.ALLOWED_HOSTS = ["*"]
    response = client.get("/hits/login/", headers={"Host": host})
    assert response.status_code == (404 if is_content else 200)


@pytest.mark.parametrize(
    ("source", "prepared"),
    [
        ("<form action='/mturk/externalSubmit'>", '<s><form action="TO">'),
        ("<form action=mturk/externalSubmit/ id=a>", '<s><form action="TO" id="a">'),
        ("<FORM\nACTION='https://WWW.mturk.com/x' novalidate>", '<s><form action="TO" novalidate>'),
        (
            "<form action='https://workersandbox.mturk.com/mturk/externalSubmit'>",
            '<s><form action="TO">',
        ),
        ("<form action='/survey'>", "<s><form action='/survey'>"),
        ("<form action='https://notmturk.com/a'>", "<s><form action='https://notmturk.com/a'>"),
        ("<form action='http://['>", "<s><form action='http://['>"),
        ("<form>", "<s><form>"),
        (
            "<button formaction='/mturk/externalSubmit' value='a&amp;\"b'>",
            '<s><button formaction="TO" value="a&amp;&quot;b">',
        ),
        (
            "<!DOCTYPE html>\n<html lang=en>\n<head><meta charset=utf-8></head>é<p>",
            "<!DOCTYPE html>\n<html lang=en>\n<head><s><meta charset=utf-8></head>é<p>",
        ),
        (
            "<!DOCTYPE html><form action='/mturk/externalSubmit'>",
            '<!DOCTYPE html><s><form action="TO">',
        ),
        (
            "<head><script src='https://s3.amazonaws.com/mturk-public/externalHIT_v1.js'></script>",
            '<head><s><script src="/own.js"></script>',
        ),
        (
            "<script>'<form action=\"/mturk/externalSubmit\">'</script>",
            "<s><script>'<form action=\"/mturk/externalSubmit\">'</script>",
        ),
    ],
)
def test_submission_forms_post_to_the_marketplace(source, prepared):
    page = prepare_page(source, submit_url="TO", script_url="/own.js")
    assert page == prepared.replace("<s>", '<script src="/own.js"></script>')


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_html_question_is_submitted_in_a_browser_and_approved(
    content, mturk, publish, worker, chromium: Browser
):
    hit = publish(Question=html_question())
    cookies = log_in(worker)
    site = mturk.meta.endpoint_url.removesuffix("/mturk/")
    with chromium.new_context() as context:
        session = cookies.cookies[accounts.COOKIE].value
        context.add_cookies([{"name": accounts.COOKIE, "value": session, "url": site}])
        page = context.new_page()
        page.goto(f"{site}/hits/groups/{hit['HITTypeId']}/")
        preview = page.frame_locator("#task")
        expect(preview.locator("#submitButton")).to_be_disabled()
        page.get_by_role("button", name="Accept one").click()
        page.wait_for_url(f"{site}/hits/work/*/")
        task = page.frame_locator("#task")
        expect(task.locator("#submitButton")).to_be_enabled()
        task.locator("textarea").fill("Fine")
        task.locator("#submitButton").click()
        expect(page).to_have_url(f"{site}/hits/")
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    texts = [element.text for element in fromstring(row["Answer"]).iter() if not len(element)]
    assert texts == ["comment", "Fine"]
    mturk.approve_assignment(AssignmentId=row["AssignmentId"])
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert row["AssignmentStatus"] == "Approved"


# The script tries to escape its frame, and reports the result of each attempt as a form field.
INTRUDER = """<!DOCTYPE html>
<form name="answers" method="post" action="/mturk/externalSubmit">
  <input type="hidden" name="assignmentId"><button>Submit</button>
</form>
<iframe name="target" hidden></iframe>
<form name="stolen" method="post" target="target" action="SITE/hits/logout/"></form>
<script>
  const attempt = async (call) => {
    try {
      return String(await call());
    } catch (error) {
      return error.name;
    }
  };
  const attempts = {
    cookie: () => document.cookie,
    toss: () => {
      const parents = location.hostname.split(".").map((_, at, all) => all.slice(at).join("."));
      for (const domain of parents) document.cookie = `hits_session=mine; path=/; domain=${domain}`;
    },
    storage: () => localStorage.getItem("secret"),
    other: async () => (await fetch("OTHER")).text(),
    parent: () => parent.document.title,
    top: () => top.document.cookie,
    read: async () => (await fetch("SITE/hits/account/", { credentials: "include" })).text(),
    form: () => document.forms.stolen.submit(),
    navigation: () => { top.location = "SITE/hits/account/"; },
  };
  document.forms.answers.assignmentId.value = new URLSearchParams(location.search).get("assignmentId");
  (async () => {
    for (const [name, call] of Object.entries(attempts)) {
      const field = document.createElement("input");
      [field.type, field.name, field.value] = ["hidden", name, await attempt(call)];
      document.forms.answers.append(field);
    }
    document.body.dataset.done = "yes";
  })();
</script>"""


@pytest.fixture
def named_hosts(site, settings, chromium: Browser) -> Iterator[Browser]:
    """Serve site and content under names of two domains, and yield a browser that finds them."""
    port = urlsplit(site).port
    settings.MARKETPLACE_URL = settings.SITE_URL = f"http://touchstone.example.test:{port}"
    settings.MARKETPLACE_CONTENT_URL = f"http://content.pages.test:{port}"
    settings.ALLOWED_HOSTS = ["*"]
    browser = chromium.browser_type.launch(
        executable_path=browsers.find(),
        args=[*CHROMIUM_ARGUMENTS, "--host-resolver-rules=MAP *.test 127.0.0.1"],
    )
    yield browser
    browser.close()


@pytest.mark.browser
def test_html_question_cannot_reach_the_workers_session(
    named_hosts: Browser, settings, publish, mturk, worker
):
    site, content = settings.MARKETPLACE_URL, settings.MARKETPLACE_CONTENT_URL
    other = publish(Title="Another group", Question=html_question("<p>Secret"))
    intruder = INTRUDER.replace("SITE", site).replace(
        "OTHER", f"{content}/hits/{other['HITId']}/content/?key={content_key(other['HITId'])}"
    )
    hit = publish(Question=html_question(intruder))
    cookies = log_in(worker)
    assignment = accept(cookies, hit)
    with named_hosts.new_context() as context:
        session = cookies.cookies[accounts.COOKIE].value
        context.add_cookies([{"name": accounts.COOKIE, "value": session, "url": site}])
        page = context.new_page()
        page.goto(f"{site}/hits/")
        page.evaluate("localStorage.setItem('secret', 'of the marketplace')")
        requests = []
        page.on("request", lambda request: requests.append((request.url, request.all_headers())))
        page.goto(f"{site}/hits/work/{assignment}/")
        frame = page.frame_locator("#task")
        expect(frame.locator("body[data-done=yes]")).to_be_visible()
        expect(page).to_have_url(f"{site}/hits/work/{assignment}/")
        frame.get_by_role("button", name="Submit").click()
        expect(page).to_have_url(f"{site}/hits/")
        expect(page.get_by_role("link", name="Account")).to_be_visible()  # still signed in
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    texts = [element.text for element in fromstring(row["Answer"]).iter() if not len(element)]
    results = dict(zip(texts[::2], texts[1::2], strict=True))
    assert results == {
        "cookie": "SecurityError",
        "toss": "SecurityError",
        "storage": "null",
        "other": "TypeError",
        "parent": "SecurityError",
        "top": "SecurityError",
        "read": "TypeError",
        "form": "undefined",
        "navigation": "SecurityError",
    }
    reached = {url.removeprefix(site): headers for url, headers in requests if url.startswith(site)}
    for path in ("/hits/account/", "/hits/logout/"):
        assert accounts.COOKIE not in reached[path].get("cookie", "")
