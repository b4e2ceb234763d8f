"""With a password alone nobody gets past the second step; codes work once, and wrong ones cost time."""

import re
import time

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import RecoveryCode
from annotation.enums import MemberRole
from annotation.models import Membership
from audit.models import StateChange
from tests.accounts.conftest import PASSWORD
from tests.dashboard.campaign import make_user

SET_UP, VERIFY = "/account/second-factor/", "/account/verify/"


def code_of(user, *, later: int = 0) -> str:
    """What the app shows, now or so many half-minutes later (a code is good once)."""
    device = TOTPDevice.objects.filter(user=user).order_by("-pk").first()
    totp = TOTP(device.bin_key)
    totp.time = time.time() + 30 * later
    return f"{totp.token():06}"


def set_up(client: Client, user) -> list[str]:
    """Turn it on; returns the recovery codes that the page shows."""
    client.get(SET_UP)
    page = client.post(SET_UP, {"code": code_of(user)}).content.decode()
    return re.findall(r"<code>([A-Z0-9-]{19})</code>", page)


def sign_in(name: str = "ada") -> Client:
    client = Client()
    client.post("/login/", {"username": name, "password": PASSWORD})
    return client


@pytest.fixture
def codes(signed_in, admin) -> list[str]:
    return set_up(signed_in, admin)


def test_setting_up_shows_a_code_to_scan_and_then_recovery_codes_once(signed_in, admin):
    page = signed_in.get(SET_UP).content.decode()
    assert 'src="data:image/svg+xml' in page
    codes = set_up(signed_in, admin)
    assert len(set(codes)) == 10
    assert signed_in.get("/account/").status_code == 200
    assert not any(one in signed_in.get("/account/").content.decode() for one in codes)
    # Stored as digests.
    kept = " ".join(RecoveryCode.objects.values_list("digest", flat=True))
    assert not any(one in kept or one.replace("-", "") in kept for one in codes)
    assert StateChange.objects.get(aggregate="auth.User").new == "second factor"


def test_wrong_code_does_not_turn_it_on(signed_in, admin):
    signed_in.get(SET_UP)
    assert signed_in.post(SET_UP, {"code": "000000"}).status_code == 422
    assert not TOTPDevice.objects.filter(confirmed=True).exists()
    assert sign_in().get("/").status_code == 200


@pytest.mark.parametrize("address", ["/", "/projects/demo/", "/account/", SET_UP, "/admin/"])
def test_password_alone_leads_to_the_second_step_from_everywhere(codes, address):
    client = sign_in()
    response = client.get(address)
    assert response.status_code == 302
    assert response.url.startswith(VERIFY)


def test_posts_and_fragments_are_held_back_too(codes, project):
    client = sign_in()
    assert client.post("/account/second-factor/off/", {"code": "1"}).url.startswith(VERIFY)
    response = client.get("/projects/demo/", headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"].startswith(VERIFY)


def test_code_of_the_app_leads_on_to_the_page_that_was_asked_for(codes, admin):
    client = sign_in()
    asked = client.get("/projects/demo/items/?state=gold").url
    key = client.session.session_key
    assert client.get(asked).status_code == 200
    form = {"code": code_of(admin, later=1), "next": "/projects/demo/items/?state=gold"}
    assert client.post(VERIFY, form).url == "/projects/demo/items/?state=gold"
    assert client.get("/projects/demo/").status_code == 200
    assert client.session.session_key != key


def test_second_step_never_leads_to_another_site(codes, admin):
    form = {"code": code_of(admin, later=1), "next": "https://evil.test/"}
    assert sign_in().post(VERIFY, form).url == "/"


def test_code_of_the_app_is_good_once(codes, admin):
    code = code_of(admin, later=1)
    assert sign_in().post(VERIFY, {"code": code}).status_code == 302
    assert sign_in().post(VERIFY, {"code": code}).status_code == 422


@pytest.mark.parametrize("written", [str, str.lower, lambda code: code.replace("-", " ")])
def test_recovery_code_is_good_once_however_it_is_typed(codes, written):
    client = sign_in()
    assert client.post(VERIFY, {"code": written(codes[3])}).status_code == 302
    assert client.get("/").status_code == 200
    again = sign_in()
    assert again.post(VERIFY, {"code": codes[3]}).status_code == 422
    assert again.get("/").status_code == 302
    assert RecoveryCode.objects.count() == 9


def test_wrong_codes_cost_more_and_more_time(codes, admin):
    client = sign_in()
    assert client.post(VERIFY, {"code": "000000"}).status_code == 422
    refused = client.post(VERIFY, {"code": code_of(admin, later=1)})
    assert refused.status_code == 429
    assert re.search(r"Wait \d+ seconds", refused.content.decode())
    # Another browser does not evade it, and neither does a recovery code of chance.
    assert sign_in().post(VERIFY, {"code": "000001"}).status_code == 429


def test_wrong_recovery_codes_are_throttled_too(codes):
    client = sign_in()
    assert client.post(VERIFY, {"code": "BBBB-BBBB-BBBB-BBBB"}).status_code == 422
    assert client.post(VERIFY, {"code": codes[0]}).status_code == 429


def test_another_users_codes_open_nothing(codes, project, admin):
    other = make_user("eve", project, MemberRole.ADMIN)
    client = sign_in("eve")
    set_up(client, other)
    assert sign_in("eve").post(VERIFY, {"code": codes[0]}).status_code == 422


def test_new_recovery_codes_need_a_code_and_replace_the_old(codes, signed_in, admin):
    address = reverse("accounts:renew_codes")
    assert signed_in.post(address, {"code": "000000"}).status_code == 302
    assert RecoveryCode.objects.count() == 10
    page = signed_in.post(address, {"code": codes[0]}).content.decode()
    new = re.findall(r"<code>([A-Z0-9-]{19})</code>", page)
    assert len(new) == 10
    assert not set(new) & set(codes)
    assert sign_in().post(VERIFY, {"code": codes[1]}).status_code == 422


def test_turning_it_off_needs_a_code(codes, signed_in):
    address = reverse("accounts:turn_off")
    signed_in.post(address, {"code": "000000"})
    assert sign_in().get("/").status_code == 302
    signed_in.post(address, {"code": codes[0]})
    assert sign_in().get("/").status_code == 200


@pytest.mark.parametrize(
    ("role", "must"),
    [("admin", True), ("requester", True), ("trainer", False), ("expert", False)],
)
def test_roles_that_need_it_are_led_to_set_it_up(project, settings, role, must):
    settings.SECOND_FACTOR_ROLES = {"admin", "requester"}
    user = make_user("kim", project, role)
    client = sign_in("kim")
    response = client.get("/projects/demo/")
    assert (response.status_code, response.headers.get("Location", "")[: len(SET_UP)]) == (
        (302, SET_UP) if must else (200, "")
    )
    codes = set_up(client, user)
    assert client.get("/projects/demo/").status_code == 200
    # What must be stays on.
    client.post(reverse("accounts:turn_off"), {"code": codes[0]})
    assert TOTPDevice.objects.filter(user=user).exists() is must


def test_superuser_needs_it_where_admins_do(db, settings, django_user_model):
    settings.SECOND_FACTOR_ROLES = {"admin"}
    django_user_model.objects.create_superuser("root", password=PASSWORD)
    assert sign_in("root").get("/admin/").url.startswith(SET_UP)


def test_role_given_later_asks_for_it_at_the_next_page(project, settings):
    settings.SECOND_FACTOR_ROLES = {"admin"}
    user = make_user("kim", project, MemberRole.TRAINER)
    client = sign_in("kim")
    assert client.get("/projects/demo/").status_code == 200
    Membership.objects.create(project=project, user=user, role=MemberRole.ADMIN)
    assert client.get("/projects/demo/").url.startswith(SET_UP)


def test_operator_takes_it_from_someone_who_lost_phone_and_codes(codes, admin):
    call_command("reset_second_factor", "ada")
    assert sign_in().get("/").status_code == 200
    assert StateChange.objects.latest("pk").actor == "reset_second_factor"
    with pytest.raises(CommandError, match="no user"):
        call_command("reset_second_factor", "nobody")


def test_workers_pages_ask_nothing_of_sessions(db, client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get("/health/live")
    assert "Cookie" not in response.headers.get("Vary", "")
