"""Browser tests of the account pages and of a project's members."""

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, expect

from accounts.tasks import send_password_resets
from projects.domain.invite import invite, token_of
from projects.enums import MemberRole
from tests.accounts.conftest import PASSWORD
from tests.accounts.second_factor import code_from, code_of, set_up
from tests.axe import LOOKS, axe_findings
from tests.dashboard.campaign import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(chromium: Browser, live_server, settings, signed_in):
    """Open a page signed in by password.

    Fail on console errors and on violations of the content security policy.
    """
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
    """Check accessibility and width in the narrow dark and the wide light look."""
    for width, scheme in LOOKS[1::-1]:
        page.set_viewport_size({"width": width, "height": 850})
        page.emulate_media(color_scheme=scheme)
        assert axe_findings(page) == [], (name, width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.screenshot(path=tmp_path / f"{name}-{width}-{scheme}.png", full_page=True)


def test_account_and_second_factor(page, admin, tmp_path):
    page.goto("/account/")
    check(page, "account", tmp_path)
    page.get_by_role("link", name="Two-factor authentication").click()
    check(page, "without", tmp_path)
    page.get_by_role("link", name="Set up two-factor authentication").click()
    check(page, "confirm-password", tmp_path)
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("img.qr-code")).to_be_visible()
    assert page.evaluate("document.querySelector('img.qr-code').naturalWidth") > 100
    check(page, "set-up", tmp_path)
    page.get_by_text("Enter the key manually").click()
    check(page, "key", tmp_path)
    secret = page.locator("code.secret").inner_text()
    page.get_by_label("Authenticator code").fill("000000")
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("Incorrect code")).to_be_visible()
    check(page, "wrong-code", tmp_path)
    page.get_by_label("Authenticator code").fill(code_from(secret))
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    check(page, "codes", tmp_path)
    page.reload()
    check(page, "codes-shown", tmp_path)
    page.get_by_role("link", name="Create new recovery codes").click()
    check(page, "new-codes", tmp_path)
    page.goto("/account/second-factor/")
    check(page, "with", tmp_path)
    page.get_by_role("link", name="Change authenticator app").click()
    expect(page.locator("img.qr-code")).to_be_visible()
    page.goto("/account/second-factor/")
    page.get_by_role("link", name="Turn off").click()
    check(page, "turn-off", tmp_path)


def test_second_step_works_by_keyboard(page, signed_in, admin, tmp_path):
    set_up(signed_in)
    page.context.clear_cookies()
    page.goto("/login/")
    expect(page.get_by_label("Username")).to_be_focused()
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Two-factor authentication")).to_be_visible()
    check(page, "verify", tmp_path)
    expect(page.get_by_label("Code")).to_be_focused()
    page.keyboard.type(code_of(admin))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()
    page.goto("/account/second-factor/totp/deactivate/")
    check(page, "confirm-code", tmp_path)


def test_role_that_requires_a_second_factor_can_not_turn_it_off(
    page, signed_in, settings, tmp_path
):
    settings.SECOND_FACTOR_ROLES = {"admin"}
    page.goto("/projects/demo/")
    expect(page.get_by_role("heading", name="Confirm your password")).to_be_visible()
    expect(page.get_by_text("Set it up to continue.")).to_be_visible()
    check(page, "must-begin", tmp_path)
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("Enter the key manually").click()
    page.get_by_label("Authenticator code").fill(
        code_from(page.locator("code.secret").inner_text())
    )
    page.keyboard.press("Enter")
    page.get_by_role("link", name="I saved my recovery codes").click()
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()
    page.goto("/account/second-factor/totp/deactivate/")
    expect(page.get_by_text("Your role requires two-factor authentication.")).to_be_visible()
    check(page, "must-stay", tmp_path)


def test_members_invitations_and_passwords(page, project, admin, tmp_path):
    make_user("a-colleague-with-a-long-name", project, MemberRole.TRAINER, MemberRole.EXPERT)
    invitation = invite(
        project=project, email="somebody.with.a.long.name@university.example", role="trainer",
        actor="ada", now=timezone.now(),
    )  # fmt: skip
    page.goto("/projects/demo/members/")
    check(page, "members", tmp_path)
    address = f"/invitations/{token_of(invitation)}/"
    for name, path in (("join", address), ("password", "/account/password/")):
        page.goto(path)
        check(page, name, tmp_path)
    page.locator("[popovertarget=account-menu]").click()
    page.get_by_role("button", name="Sign out").click()
    others = (("accept", address), ("reset", "/account/password/reset/"), ("login", "/login/"),
              ("choose", "/account/password/reset/MQ-wrong/"),
              ("changed", "/account/password/reset/done/"), ("closed", "/account/inactive/"),
              ("sent", "/account/password/reset/sent/"))  # fmt: skip
    for name, path in others:
        page.goto(path)
        check(page, name, tmp_path)


def test_password_is_reset_by_a_link(page, signed_in, admin, mailoutbox, tmp_path):
    signed_in.logout()
    page.goto("/account/password/reset/")
    page.get_by_label("Email").fill(admin.email)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Check your email")).to_be_visible()
    send_password_resets()
    link = next(line for line in mailoutbox[0].body.splitlines() if line.startswith("http"))
    page.goto("/" + link.split("/", 3)[3])
    check(page, "new-password", tmp_path)
    page.get_by_label("New password", exact=True).fill("another long password")
    page.get_by_label("New password (again)").fill("another long password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Password changed")).to_be_visible()
