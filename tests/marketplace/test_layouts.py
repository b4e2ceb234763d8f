"""HIT layouts: the requester's pages, previews on the content host, and HITs that use a layout."""

from random import Random
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import Browser, expect

from marketplace.domain import access_keys
from marketplace.domain.accounts import requester_sessions
from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.questions import layouts
from marketplace.domain.questions.question import parse_question
from marketplace.models import Assignment, Hit, HitLayout, LoginFailure, RequesterSession
from marketplace.views.frame import CONTENT_SANDBOX
from tests.axe import axe_findings

from .conftest import HIT_TYPE, accept, framed, log_in, make_requester, mturk_client, read
from .test_operations import refused

pytestmark = pytest.mark.django_db
HTML = """<!DOCTYPE html>
<html>
  <head><title>Label</title></head>
  <body>
    <form id="mturk_form" method="post" action="/mturk/externalSubmit">
      <input type="hidden" name="assignmentId" id="assignmentId">
      <p>${sentence}</p><img src="${image.url}" alt=""><p>${sentence}</p>
      <input name="label"><button id="submitButton">Submit</button>
    </form>
    <script>turkSetAssignmentID();</script>
  </body>
</html>"""
VALUES = [
    {"Name": "sentence", "Value": "<b>5 < 6 & 7</b>"},
    {"Name": "image.url", "Value": "https://lab.example/a.png?x=1&y=2"},
]


@pytest.fixture
def layout(requester) -> HitLayout:
    return make_layout(requester[0])


def make_layout(owner, html: str = HTML, name: str = "Labels") -> HitLayout:
    return layouts.save_layout(
        requester=owner, name=name, html=html, frame_height=450, now=timezone.now()
    )


@pytest.fixture
def pages(requester) -> Client:
    """Return the browser of a requester who is signed in."""
    return sign_in(*requester[1:])


def sign_in(key_id: str, secret: str) -> Client:
    client = Client()
    form = {"access_key_id": key_id, "secret": secret}
    assert client.post("/hits/requester/login/", form).url == "/hits/requester/layouts/"
    return client


def create(mturk, layout_code: str, parameters: list[dict] | None = None) -> dict:
    return mturk.create_hit(
        **HIT_TYPE,
        LifetimeInSeconds=3600,
        HITLayoutId=layout_code,
        HITLayoutParameters=VALUES if parameters is None else parameters,
    )["HIT"]


def html_of(question: str) -> str:
    return parse_question(question, allow_http=True, allow_html=True).html


def test_hit_has_the_question_of_its_layout(content, mturk, layout):
    hit = create(mturk, layout.code)
    assert hit["HITLayoutId"] == layout.code
    stored = mturk.get_hit(HITId=hit["HITId"])["HIT"]
    assert (stored["HITLayoutId"], stored["Question"]) == (layout.code, hit["Question"])
    expected = HTML.replace("${sentence}", "<b>5 < 6 & 7</b>")
    expected = expected.replace("${image.url}", "https://lab.example/a.png?x=1&y=2")
    assert html_of(stored["Question"]) == expected
    assert Hit.objects.get().frame_height == 450


def test_hit_of_a_type_has_a_layout_too(content, mturk, layout):
    hit_type = mturk.create_hit_type(**HIT_TYPE)["HITTypeId"]
    hit = mturk.create_hit_with_hit_type(
        HITTypeId=hit_type,
        LifetimeInSeconds=3600,
        HITLayoutId=layout.code,
        HITLayoutParameters=VALUES,
    )["HIT"]
    assert hit["HITLayoutId"] == layout.code


def test_worker_submits_the_page_of_a_layout(content, site, mturk, layout, browser):
    hit = create(mturk, layout.code)
    assignment = accept(browser, hit)
    page = read(framed(browser.get(f"/hits/work/{assignment}/")))
    assert page.status_code == 200
    assert "<b>5 < 6 & 7</b>" in page.content.decode()
    assert f'action="{site}/hits/submit/' in page.content.decode()


def test_hit_without_a_layout_has_no_layout_id(publish):
    assert "HITLayoutId" not in publish()


@pytest.mark.parametrize(
    ("parameters", "message_part"),
    [
        ([], "lacks values that the layout needs: sentence, image.url."),
        (VALUES[:1], "needs: image.url."),
        ([*VALUES, {"Name": "other", "Value": "x"}], "does not use: other."),
        ([*VALUES, VALUES[0]], "'sentence' twice"),
        ([{"Name": "sentence", "Value": "\x01"}, VALUES[1]], "XML does not allow"),
        ([{"Name": "sentence", "Value": "x" * 65_536}, VALUES[1]], "65535 bytes"),
    ],
)
def test_wrong_parameters_are_refused(content, mturk, layout, parameters, message_part):
    code, message = refused(create, mturk=mturk, layout_code=layout.code, parameters=parameters)
    assert code == "InvalidParameterValue"
    assert message_part in message
    assert not Hit.objects.exists()


def test_wrong_combinations_are_refused(content, mturk, layout):
    fields = HIT_TYPE | {"LifetimeInSeconds": 60}
    both = fields | {"Question": "<x/>", "HITLayoutId": layout.code}
    assert "not both" in refused(mturk.create_hit, **both)[1]
    parameters_only = fields | {"Question": "<x/>", "HITLayoutParameters": VALUES}
    assert "needs a HITLayoutId" in refused(mturk.create_hit, **parameters_only)[1]


def test_foreign_and_deleted_layouts_do_not_exist(content, site, mturk, layout):
    other = mturk_client(site, *make_requester("other")[1:])
    for client in (other, mturk):
        code, message = refused(create, mturk=client, layout_code=layout.code)
        assert (code, layout.code in message) == ("HITLayoutDoesNotExist", True)
        if client is other:
            hit = create(mturk, layout.code)
            layouts.delete_layout(layout=layout, now=timezone.now())
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["HITLayoutId"] == layout.code


def test_layout_needs_the_content_host(mturk, layout):
    code, message = refused(create, mturk=mturk, layout_code=layout.code)
    assert (code, "MARKETPLACE_CONTENT_URL" in message) == ("InvalidParameterValue", True)


def test_changed_layout_does_not_change_its_hits(content, mturk, layout, pages):
    hit = create(mturk, layout.code)
    form = {"name": "Labels", "html": "<p>${word}</p>", "frame_height": 0}
    assert pages.post(f"/hits/requester/layouts/{layout.code}/", form).status_code == 302
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["Question"] == hit["Question"]
    changed = create(mturk, layout.code, [{"Name": "word", "Value": "x"}])
    assert html_of(changed["Question"]) == "<p>x</p>"


@pytest.mark.parametrize("value", ["]]>", "]]]]>", "a]]><![CDATA[b", "é\n\t", "${sentence}", r"\1"])
def test_values_are_inserted_as_they_are(content, mturk, requester, value):
    layout = make_layout(requester[0], "<p>${sentence}]]></p>")
    hit = create(mturk, layout.code, [{"Name": "sentence", "Value": value}])
    assert html_of(hit["Question"]) == f"<p>{value}]]></p>"


def test_names_of_parameters():
    html = "${a} ${b_1.x-y} ${a} ${} ${ a} ${a b} $a {a} ${é}"
    assert layouts.parameter_names(html) == ["a", "b_1.x-y"]


def test_pages_are_for_signed_in_requesters():
    for path in ("layouts/", "layouts/new/", "layouts/3NONE/"):
        answer = Client().get(f"/hits/requester/{path}")
        assert answer.url.startswith("/hits/requester/login/?next=")
    assert Client().post("/hits/requester/layouts/3NONE/delete/").status_code == 302


def test_wrong_secret_is_refused_and_limited(requester):
    _, key_id, secret = requester
    client = Client()
    form = {"access_key_id": key_id, "secret": "wrong"}
    for _ in range(10):
        answer = client.post("/hits/requester/login/", form)
        assert "The access key id or the secret is incorrect." in answer.content.decode()
    refusal = client.post("/hits/requester/login/", form | {"secret": secret})
    assert "Too many attempts" in refusal.content.decode()
    assert LoginFailure.objects.count() == 10
    assert not RequesterSession.objects.exists()


def test_unknown_key_has_the_same_message(requester):
    form = {"access_key_id": "TSNONE", "secret": requester[2]}
    answer = Client().post("/hits/requester/login/", form)
    assert "The access key id or the secret is incorrect." in answer.content.decode()


def test_session_ends_with_its_key_and_on_request(requester, pages):
    assert pages.get("/hits/requester/layouts/").status_code == 200
    cookie = pages.cookies[requester_sessions.COOKIE]
    assert (cookie["path"], cookie["httponly"]) == ("/", True)
    other = sign_in(*requester[1:])
    other.post("/hits/requester/logout/")
    assert RequesterSession.objects.count() == 1
    access_keys.revoke_key(key=requester[0].access_keys.get(), now=timezone.now())
    assert pages.get("/hits/requester/layouts/").status_code == 302


def test_login_leads_to_pages_of_this_site_only(requester):
    form = {"access_key_id": requester[1], "secret": requester[2]}
    answer = Client().post("/hits/requester/login/?next=https://evil.example/", form)
    assert answer.url == "/hits/requester/layouts/"


def test_layout_is_created_changed_and_deleted(requester, pages):
    form = {"name": "Labels", "html": HTML, "frame_height": "450"}
    page = pages.post("/hits/requester/layouts/new/", form).url
    row = HitLayout.objects.get()
    assert page == f"/hits/requester/layouts/{row.code}/"
    assert (row.requester, row.name, row.frame_height) == (requester[0], "Labels", 450)
    assert row.html.replace("\r\n", "\n") == HTML
    assert row.code in pages.get("/hits/requester/layouts/").content.decode()
    html = pages.get(page).content.decode()
    assert "<code>sentence</code>, <code>image.url</code>" in html
    assert "MARKETPLACE_CONTENT_URL" in html  # no preview without the content host
    pages.post(page, form | {"name": "Other"})
    row.refresh_from_db()
    assert row.name == "Other"
    pages.post(f"{page}delete/")
    assert pages.get(page).status_code == 404
    assert "No layouts yet" in pages.get("/hits/requester/layouts/").content.decode()


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ("", "This field is required."),
        ("  ", "must not be empty"),
        ("a\x01", "XML does not allow"),
        ("x" * 65_535, "65535 bytes"),
    ],
)
def test_invalid_html_is_refused(pages, html, message):
    form = {"name": "Labels", "html": html, "frame_height": "0"}
    answer = pages.post("/hits/requester/layouts/new/", form)
    assert (answer.status_code, message in answer.content.decode()) == (200, True)
    assert not HitLayout.objects.exists()


def test_layouts_of_other_requesters_are_not_found(pages):
    layout = make_layout(make_requester("other")[0])
    page = f"/hits/requester/layouts/{layout.code}/"
    assert pages.get(page).status_code == 404
    assert pages.post(f"{page}delete/").status_code == 404
    assert layout.code not in pages.get("/hits/requester/layouts/").content.decode()


def test_preview_is_served_by_the_content_host_only(content, site, layout, pages):
    page = f"/hits/requester/layouts/{layout.code}/"
    response = pages.get(page, {"preview": "1", "value-sentence": "<i>Hi</i>"})
    assert "<i>Hi</i>" not in response.content.decode()
    url = framed(response)
    assert url.startswith(f"{content}/layouts/")
    assert f"frame-src {content};" in response["Content-Security-Policy"] + ";"
    preview = read(url)
    html = preview.content.decode()
    assert "<p><i>Hi</i></p>" in html
    assert "${image.url}" in html
    assert 'action=""' in html
    policy = f"frame-ancestors {site}; sandbox {CONTENT_SANDBOX}; form-action 'none'"
    assert preview["Content-Security-Policy"] == policy
    assert pages.get(urlsplit(url).path).status_code == 404
    assert read(url.replace("/layouts/", "/layouts/x")).status_code == 404
    layouts.delete_layout(layout=layout, now=timezone.now())
    assert read(url).status_code == 404


def test_preview_with_too_long_values_shows_a_message(content, layout, pages):
    noise = Random(1).randbytes(3_000).hex()
    page = f"/hits/requester/layouts/{layout.code}/"
    text = pages.get(page, {"preview": "1", "value-sentence": noise}).content.decode()
    assert "too long for a preview" in text
    assert "<iframe" not in text


def test_preview_token_is_bound_to_its_values(layout):
    token = layouts.preview_token(layout, {"sentence": "x"})
    assert "<p>x</p>" in (layouts.read_preview(token) or "")
    assert layouts.read_preview(f"{token}x") is None
    with pytest.raises(InvalidParameterError):
        layouts.check_html(" ")


def test_number_of_queries_does_not_grow_with_layouts(requester, pages):
    counts = []
    for number in (3, 300):
        for index in range(number):
            make_layout(requester[0], name=f"Layout {index}")
        with CaptureQueriesContext(connection) as queries:
            assert pages.get("/hits/requester/layouts/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_layout_is_written_previewed_and_worked_on_in_a_browser(
    content,
    mturk,
    requester,
    worker,
    chromium: Browser,
):
    site = mturk.meta.endpoint_url.removesuffix("/mturk/")
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{site}/hits/requester/layouts/")
        assert axe_findings(page) == []
        page.get_by_label("Access key id").fill(requester[1])
        page.get_by_label("Secret access key").fill(requester[2])
        page.keyboard.press("Enter")
        page.wait_for_url(f"{site}/hits/requester/layouts/")
        assert axe_findings(page) == []
        page.get_by_role("link", name="Create layout").click()
        page.wait_for_url("**/new/")
        page.get_by_label("Name").fill("Labels")
        page.get_by_label("HTML", exact=True).fill(HTML)
        assert axe_findings(page) == []
        page.get_by_role("button", name="Create layout").click()
        page.get_by_label("sentence").fill("<em>Look</em>")
        page.get_by_role("button", name="Preview with these values").click()
        page.wait_for_url("**?preview=1*")
        preview = page.frame_locator("#task")
        expect(preview.locator("em").first).to_have_text("Look")
        expect(preview.locator("#submitButton")).to_be_disabled()
        assert axe_findings(page) == []
        hit = create(mturk, HitLayout.objects.get().code)
    cookies = log_in(worker).cookies
    with chromium.new_context() as context:
        [(name, morsel)] = cookies.items()
        context.add_cookies([{"name": name, "value": morsel.value, "url": site}])
        page = context.new_page()
        page.goto(f"{site}/hits/groups/{hit['HITTypeId']}/")
        page.get_by_role("button", name="Accept one").click()
        page.wait_for_url(f"{site}/hits/work/*/")
        task = page.frame_locator("#task")
        task.locator("[name=label]").fill("cat")
        task.locator("#submitButton").click()
        expect(page).to_have_url(f"{site}/hits/")
    assert "<FreeText>cat</FreeText>" in Assignment.objects.get().answer
