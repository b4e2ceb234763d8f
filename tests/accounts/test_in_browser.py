"""The pages of one's own account and of a project's members, in a real browser."""

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, expect

from accounts.domain.invite import invite, token_of
from annotation.enums import MemberRole
from tests.accounts.test_second_factor import code_of
from tests.axe import axe_findings
from tests.dashboard.campaign import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDTHS = ({"width": 360, "height": 800}, {"width": 1280, "height": 900})


@pytest.fixture
def page(chromium: Browser, live_server, settings, signed_in):
    """Signed in by password; no page may leave an error or a broken content policy in the console."""
    settings.ALLOWED_HOSTS = ["*"]
    complaints: list[str] = []
    context = chromium.new_context(base_url=live_server.url)
    cookie = {"name": "sessionid", "value": signed_in.cookies["sessionid"].value}
    context.add_cookies([{**cookie, "url": live_server.url}])
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    yield context.new_page()
    context.close()
    assert complaints == []


def check(page, name: str, tmp_path) -> None:
    """In both widths and both schemes: nothing for axe-core, nothing beside the page."""
    for size in WIDTHS:
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert axe_findings(page) == [], (name, size, scheme)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= size["width"], (name, wide)
            page.screenshot(path=tmp_path / f"{name}-{size['width']}-{scheme}.png", full_page=True)


def test_account_and_second_factor(page, admin, tmp_path):
    page.goto("/account/")
    check(page, "account-without", tmp_path)
    page.get_by_role("link", name="Set it up").click()
    expect(page.locator("img.qr-code")).to_be_visible()
    assert page.evaluate("document.querySelector('img.qr-code').naturalWidth") > 100
    check(page, "set-up", tmp_path)
    page.get_by_label("Code").fill(code_of(admin))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    check(page, "codes", tmp_path)
    page.goto("/account/")
    page.get_by_text("New recovery codes, or turn it off").click()
    check(page, "account-with", tmp_path)


def test_second_step_by_keyboard_alone(page, signed_in, admin, tmp_path):
    signed_in.get("/account/second-factor/")
    signed_in.post("/account/second-factor/", {"code": code_of(admin)})
    page.goto("/login/")  # the browser's own session ended when the other became stronger
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("a long enough password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
    check(page, "verify", tmp_path)
    expect(page.get_by_label("Code")).to_be_focused()
    page.keyboard.type(code_of(admin, later=1))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()


def test_members_invitations_and_passwords(page, project, admin, tmp_path):
    make_user("a-colleague-with-a-long-name", project, MemberRole.TRAINER, MemberRole.EXPERT)
    asked = invite(
        project=project, email="somebody.with.a.long.name@university.example", role="trainer",
        actor="ada", now=timezone.now(),
    )  # fmt: skip
    page.goto("/projects/demo/members/")
    check(page, "members", tmp_path)
    address = f"/invitations/{token_of(asked.invitation)}/"
    for name, path in (("join", address), ("password", "/account/password/")):
        page.goto(path)
        check(page, name, tmp_path)
    page.get_by_role("button", name="Sign out").click()
    others = (("accept", address), ("reset", "/account/password/reset/"), ("login", "/login/"),
              ("choose", "/account/password/reset/MQ/wrong/"),
              ("sent", "/account/password/reset/sent/"))  # fmt: skip
    for name, path in others:
        page.goto(path)
        check(page, name, tmp_path)
