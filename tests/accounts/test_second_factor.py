"""Tests of the second factor, which a password alone must not bypass.

Codes work once, and wrong codes are limited.
"""

import time

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client

from audit.models import StateChange
from projects.enums import MemberRole
from projects.models import Membership
from tests.accounts.conftest import PASSWORD
from tests.accounts.second_factor import (
    CODES,
    CONFIRM_CODE,
    CONFIRM_PASSWORD,
    INDEX,
    RENEW,
    REPLACE,
    SET_UP,
    TURN_OFF,
    VERIFY,
    code_from,
    code_of,
    secret_of,
    set_up,
    shown_codes,
    sign_in,
)
from tests.dashboard.campaign import make_user

RIGHT = {"login": "ada", "password": PASSWORD}


@pytest.fixture
def codes(signed_in, transactional_db, admin) -> list[str]:
    return set_up(signed_in)


def confirm(client: Client, code: str) -> None:
    """Confirm the user's identity with a code, five minutes after the last confirmation."""
    records = client.session
    for record in records["account_authentication_methods"]:
        record["at"] = time.time() - 3600
    records.save()
    client.post(CONFIRM_CODE, {"code": code})


def is_signed_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_setup_shows_a_qr_code_and_then_recovery_codes_once(signed_in, transactional_db, admin):
    signed_in.post(CONFIRM_PASSWORD, {"password": PASSWORD})
    assert 'src="data:image/svg+xml' in signed_in.get(SET_UP).content.decode()
    codes = set_up(signed_in)
    assert len(set(codes)) == 10
    page = signed_in.get(CODES).content.decode() + signed_in.get(INDEX).content.decode()
    assert not any(code in page for code in codes)
    assert is_signed_in(signed_in)
    assert StateChange.objects.get(aggregate="auth.User").new == "two-factor authentication"


def test_setup_requires_the_password_again(signed_in):
    assert signed_in.get(SET_UP).url.startswith(CONFIRM_PASSWORD)
    signed_in.post(CONFIRM_PASSWORD, {"password": "wrong"})
    assert signed_in.get(SET_UP).url.startswith(CONFIRM_PASSWORD)


def test_secrets_are_stored_encrypted(signed_in, transactional_db):
    signed_in.post(CONFIRM_PASSWORD, {"password": PASSWORD})
    signed_in.get(SET_UP)
    secret = signed_in.session["mfa.totp.secret"]
    signed_in.post(SET_UP, {"code": code_from(secret)})
    rows = {row.type: row.data for row in Authenticator.objects.all()}
    assert secret not in rows["totp"]["secret"]
    assert rows["totp"]["secret"].startswith("gAAAA")
    assert rows["recovery_codes"]["seed"].startswith("gAAAA")


def test_secrets_are_readable_after_a_key_change(codes, admin, settings):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret key " * 4
    client = sign_in()
    client.post(VERIFY, {"code": code_of(admin)})
    assert is_signed_in(client)


def test_wrong_code_does_not_turn_it_on(signed_in):
    signed_in.post(CONFIRM_PASSWORD, {"password": PASSWORD})
    signed_in.get(SET_UP)
    assert "Incorrect code" in signed_in.post(SET_UP, {"code": "000000"}).content.decode()
    assert not Authenticator.objects.exists()
    assert is_signed_in(sign_in())


@pytest.mark.parametrize("address", ["/", "/projects/demo/", "/account/", SET_UP, "/admin/"])
def test_password_alone_opens_nothing(codes, address):
    client = sign_in()
    assert client.get(address, follow=True).redirect_chain[-1][0] == VERIFY


def test_admin_site_requires_the_second_factor(transactional_db, django_user_model):
    django_user_model.objects.create_superuser("root", password=PASSWORD)
    set_up(sign_in("root"))
    client = Client()
    form = {"username": "root", "login": "root", "password": PASSWORD}
    assert client.post("/admin/login/", form).url.startswith("/login/")
    assert client.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/login/")
    assert not client.session.get("_auth_user_id")


def test_marketplace_sign_in_does_not_bypass_the_second_factor(transactional_db, django_user_model):
    root = django_user_model.objects.create_superuser("root", password=PASSWORD)
    address, form = "/hits/operator/login/", {"username": "root", "password": PASSWORD}
    assert Client().post(address, form).url == "/hits/operator/"
    set_up(sign_in("root"))
    client = Client()
    form["next"] = "/hits/operator/workers/"
    assert client.post(address, form).url == "/login/?next=/hits/operator/workers/"
    assert client.get("/", follow=True).redirect_chain[-1][0].startswith("/login/")
    client.post("/login/?next=/hits/operator/workers/", {"login": "root", "password": PASSWORD})
    answer = client.post(VERIFY, {"code": code_of(root)})
    assert answer.url == "/hits/operator/workers/"
    assert client.get(answer.url).status_code == 200


def test_posts_and_fragments_require_the_second_factor(codes, project):
    client = sign_in()
    assert client.post(TURN_OFF).url.startswith("/login/")
    assert Authenticator.objects.filter(type="totp").exists()
    response = client.get("/projects/demo/", headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"].startswith("/login/")


def test_app_code_redirects_to_the_requested_page(codes, admin):
    client = Client()
    login = client.get("/projects/demo/items/?state=gold").url
    client.post(login, RIGHT)
    key = client.session.session_key
    assert client.post(VERIFY, {"code": code_of(admin)}).url == "/projects/demo/items/?state=gold"
    assert client.get("/projects/demo/").status_code == 200
    assert client.session.session_key != key


def test_second_step_does_not_redirect_to_another_site(codes, admin):
    client = Client()
    client.post("/login/", {**RIGHT, "next": "https://evil.test/"})
    form = {"code": code_of(admin), "next": "https://evil.test/"}
    assert client.post(VERIFY, form).url == "/"


def test_second_step_can_be_cancelled(codes):
    client = sign_in()
    client.post("/logout/")
    assert client.get(VERIFY).url == "/login/"
    assert client.get("/login/").status_code == 200


def test_app_code_works_once(codes, admin):
    code = code_of(admin)
    first, second = sign_in(), sign_in()
    first.post(VERIFY, {"code": code})
    second.post(VERIFY, {"code": code})
    assert [is_signed_in(first), is_signed_in(second)] == [True, False]


@pytest.mark.parametrize("written", [str, lambda code: f" {code[:4]} {code[4:]}"])
def test_recovery_code_works_once_in_any_notation(codes, written):
    first, second = sign_in(), sign_in()
    first.post(VERIFY, {"code": written(codes[3])})
    second.post(VERIFY, {"code": codes[3]})
    assert [is_signed_in(first), is_signed_in(second)] == [True, False]
    assert "9 recovery codes left" in first.get(INDEX).content.decode()


@pytest.mark.parametrize("wrong", ["000000", "00000000"])
def test_wrong_codes_are_limited_across_browsers(codes, admin, wrong):
    for _ in range(5):
        assert "Incorrect code" in sign_in().post(VERIFY, {"code": wrong}).content.decode()
    for right in (code_of(admin), codes[0]):
        client = sign_in()
        page = client.post(VERIFY, {"code": right}).content.decode()
        assert "Too many failed login attempts" in page
        assert not is_signed_in(client)


def test_codes_of_another_user_are_refused(codes, project):
    make_user("eve", project, MemberRole.ADMIN)
    set_up(sign_in("eve"))
    client = sign_in("eve")
    client.post(VERIFY, {"code": codes[0]})
    assert not is_signed_in(client)


def test_new_recovery_codes_require_a_code_and_replace_the_old(codes, signed_in):
    confirm(signed_in, "000000")
    assert signed_in.post(RENEW).url.startswith(CONFIRM_CODE)
    confirm(signed_in, codes[0])
    signed_in.post(RENEW)
    new = shown_codes(signed_in)
    assert len(new) == 10
    assert not set(new) & set(codes)
    assert StateChange.objects.latest("pk").new == "new recovery codes"
    client = sign_in()
    client.post(VERIFY, {"code": codes[1]})
    assert not is_signed_in(client)


def test_turning_it_off_requires_a_code(codes, signed_in):
    confirm(signed_in, "000000")
    assert signed_in.post(TURN_OFF).url.startswith(CONFIRM_CODE)
    assert not is_signed_in(sign_in())
    confirm(signed_in, codes[0])
    signed_in.post(TURN_OFF)
    assert is_signed_in(sign_in())
    assert not Authenticator.objects.exists()
    moves = StateChange.objects.filter(aggregate="auth.User").values_list("old", "new")
    assert list(moves)[-1] == ("two-factor authentication", "off")


def test_password_does_not_replace_the_second_factor(codes, signed_in):
    confirm(signed_in, "000000")
    answer = signed_in.post(CONFIRM_PASSWORD, {"password": PASSWORD})
    assert answer.url.startswith(CONFIRM_CODE)
    assert signed_in.post(TURN_OFF).url.startswith(CONFIRM_CODE)


def test_new_phone_replaces_the_first_and_keeps_recovery_codes(codes, signed_in, admin):
    confirm(signed_in, "000000")
    assert signed_in.get(REPLACE).url.startswith(CONFIRM_CODE)
    confirm(signed_in, codes[0])
    old = secret_of(admin)
    signed_in.get(REPLACE)
    signed_in.post(REPLACE, {"code": "000000"})
    assert secret_of(admin) == old
    signed_in.post(REPLACE, {"code": code_from(signed_in.session["mfa.totp.secret"])})
    assert secret_of(admin) != old
    for code, expected in ((code_from(old), False), (code_of(admin), True), (codes[1], True)):
        client = sign_in()
        client.post(VERIFY, {"code": code})
        assert is_signed_in(client) is expected


def test_sessions_without_the_second_factor_are_ended(signed_in, transactional_db, admin):
    other = sign_in()
    assert is_signed_in(other)
    set_up(signed_in)
    assert [is_signed_in(signed_in), is_signed_in(other)] == [True, False]


@pytest.mark.parametrize(
    ("role", "must"),
    [("admin", True), ("requester", True), ("trainer", False), ("expert", False)],
)
def test_roles_that_require_it_are_redirected_to_the_setup(
    transactional_db, project, settings, role, must
):
    settings.SECOND_FACTOR_ROLES = {"admin", "requester"}
    user = make_user("kim", project, role)
    client = sign_in("kim")
    response = client.get("/projects/demo/")
    assert (response.status_code, response.headers.get("Location")) == (
        (302, SET_UP) if must else (200, None)
    )
    set_up(client)
    assert client.get("/projects/demo/").status_code == 200
    # A role that requires the second factor keeps it on.
    client.post(TURN_OFF)
    assert Authenticator.objects.filter(user=user, type="totp").exists() is must


def test_fragments_and_api_are_refused_before_the_setup(project, admin, settings):
    settings.SECOND_FACTOR_ROLES = {"admin"}
    client = sign_in()
    fragment = client.get("/projects/demo/", headers={"HX-Request": "true"})
    assert fragment.headers["HX-Redirect"] == SET_UP
    assert client.get("/api/v1/projects/").url == SET_UP
    assert client.get("/account/").url == SET_UP


def test_superuser_needs_it_if_admins_do(db, settings, django_user_model):
    settings.SECOND_FACTOR_ROLES = {"admin"}
    django_user_model.objects.create_superuser("root", password=PASSWORD)
    assert sign_in("root").get("/admin/").url == SET_UP


def test_role_granted_later_requires_it_at_the_next_page(project, settings):
    settings.SECOND_FACTOR_ROLES = {"admin"}
    user = make_user("kim", project, MemberRole.TRAINER)
    client = sign_in("kim")
    assert client.get("/projects/demo/").status_code == 200
    Membership.objects.create(project=project, user=user, role=MemberRole.ADMIN)
    assert client.get("/projects/demo/").url == SET_UP


def test_operator_removes_it_for_a_user_without_phone_and_codes(codes, admin):
    call_command("reset_second_factor", "ada")
    assert is_signed_in(sign_in())
    assert StateChange.objects.latest("pk").actor == "reset_second_factor"
    with pytest.raises(CommandError, match="no user"):
        call_command("reset_second_factor", "nobody")


def test_worker_pages_do_not_query_sessions(db, client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get("/health/live")
    assert "Cookie" not in response.headers.get("Vary", "")
