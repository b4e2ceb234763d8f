"""Workers' accounts: invitations, sign-in, sessions and limits on failed attempts."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from marketplace.domain.accounts import accounts
from marketplace.domain.work import maintenance
from marketplace.models import Assignment, Invitation, LoginFailure, WorkerAccount, WorkerSession

from .conftest import PASSWORD, accept, log_in, make_worker

pytestmark = pytest.mark.django_db
JOIN = {
    "username": "carla",
    "email": "carla@example.org",
    "password": "nine green horses",
    "country": "US",
    "subdivision": "ny",
}


@pytest.fixture
def invitation() -> str:
    return accounts.invite(count=1, now=timezone.now())[0].code


def test_joining_sets_a_separate_session_cookie(client, invitation):
    response = client.post(f"/hits/join/{invitation}/", JOIN)
    assert response.url == "/hits/"
    cookie = response.cookies[accounts.COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert "sessionid" not in response.cookies
    worker = WorkerAccount.objects.get()
    assert worker.code[0] == "A"
    assert (worker.username, worker.country, worker.subdivision) == ("carla", "US", "NY")
    assert not worker.is_adult
    assert client.get("/hits/").status_code == 200


def test_cookie_is_secure_over_https(client, invitation, settings):
    settings.SESSION_COOKIE_SECURE = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    page = client.post(
        f"/hits/join/{invitation}/",
        JOIN,
        headers={"X-Forwarded-Proto": "https", "Referer": "https://testserver/"},
    )
    assert page.cookies[accounts.COOKIE]["secure"] is True


@pytest.mark.parametrize(
    "change",
    [
        {"username": "x"},
        {"username": "a name"},
        {"email": "nobody"},
        {"password": "12345678"},
        {"password": "short"},
        {"country": "USA"},
        {"country": "1"},
    ],
)
def test_joining_with_invalid_fields_is_refused(client, invitation, change):
    page = client.post(f"/hits/join/{invitation}/", JOIN | change)
    assert page.status_code == 200
    assert next(iter(change)) in page.context["form"].errors
    assert Invitation.objects.get().used_at is None


def test_taken_name_is_refused_and_keeps_the_invitation_valid(client, invitation):
    make_worker("Carla")
    page = client.post(f"/hits/join/{invitation}/", JOIN)
    assert "name is taken" in page.content.decode()
    assert Invitation.objects.filter(used_at=None).count() == 1


def test_used_or_unknown_invitation_is_refused(client, invitation):
    client.post(f"/hits/join/{invitation}/", JOIN)
    second = Client().post(f"/hits/join/{invitation}/", JOIN | {"username": "dora"})
    assert second.status_code == 404
    assert Client().get("/hits/join/nothing/").status_code == 404
    assert WorkerAccount.objects.count() == 1


def test_forms_need_a_csrf_token(invitation):
    careful = Client(enforce_csrf_checks=True)
    assert careful.post(f"/hits/join/{invitation}/", JOIN).status_code == 403
    assert careful.post("/hits/login/", JOIN).status_code == 403


def test_login_redirects_within_the_site_only(client):
    make_worker("ann")
    form = {"username": "Ann", "password": PASSWORD}
    assert client.post("/hits/login/?next=/hits/earnings/", form).url == "/hits/earnings/"
    assert client.post("/hits/login/?next=https://evil.example/", form).url == "/hits/"
    assert client.post("/hits/login/?next=//evil.example/", form).url == "/hits/"


def test_pages_require_a_login(client):
    for path in ("/hits/", "/hits/history/", "/hits/work/3A/", "/hits/messages/"):
        assert client.get(path).url.startswith("/hits/login/?next=")
    assert client.post("/hits/groups/3A/accept/").url.startswith("/hits/login/")


def test_wrong_password_and_unknown_name_have_the_same_message(client):
    make_worker("ann")
    texts = {
        client.post("/hits/login/", {"username": name, "password": "wrong"})
        .context["form"]
        .errors["__all__"][0]
        for name in ("ann", "nobody")
    }
    assert len(texts) == 1


def test_guessing_blocks_only_this_address_temporarily(client):
    make_worker("ann")
    form = {"username": "ann", "password": PASSWORD}
    for _ in range(10):
        client.post("/hits/login/", form | {"password": "guess"})
    assert client.post("/hits/login/", form).status_code == 200
    assert client.post("/hits/login/", form, REMOTE_ADDR="10.0.0.2").status_code == 302
    LoginFailure.objects.update(at=timezone.now() - timedelta(minutes=16))
    assert client.post("/hits/login/", form).status_code == 302


@pytest.mark.parametrize("shared", ["username", "address"])
def test_guessing_across_names_or_addresses_is_stopped(shared):
    worker, now = make_worker("ann"), timezone.now()
    login = {"username": "ann", "address": "192.0.2.1"}
    LoginFailure.objects.bulk_create(
        LoginFailure(**dict.fromkeys(login, f"other{number}") | {shared: login[shared]}, at=now)
        for number in range(accounts.FAILURES_ALLOWED_IN_ALL)
    )
    with pytest.raises(accounts.LoginError, match="Too many attempts"):
        accounts.log_in(**login, password=PASSWORD, now=now)
    later = now + timedelta(minutes=16)
    assert accounts.log_in(**login, password=PASSWORD, now=later) == worker


def test_logout_ends_the_session_on_the_server(worker, browser):
    token = browser.cookies[accounts.COOKIE].value
    assert browser.post("/hits/logout/").url == "/hits/login/"
    stolen = Client()
    stolen.cookies[accounts.COOKIE] = token
    assert stolen.get("/hits/").status_code == 302


def test_expired_session_is_refused_and_deleted(worker, browser):
    WorkerSession.objects.update(expires_at=timezone.now())
    assert browser.get("/hits/").status_code == 302
    maintenance.forget_old(now=timezone.now())
    assert not WorkerSession.objects.exists()


def test_stored_digest_is_no_session_token(worker, browser):
    digest = WorkerSession.objects.get().digest
    assert digest != browser.cookies[accounts.COOKIE].value
    thief = Client()
    thief.cookies[accounts.COOKIE] = digest
    assert thief.get("/hits/").status_code == 302


def test_new_password_ends_every_session(worker, browser):
    other = log_in(worker)
    refusal = browser.post("/hits/account/", {"current": "x", "password": "nine green horses"})
    assert "current password is incorrect" in refusal.content.decode()
    form = {"current": PASSWORD, "password": "nine green horses"}
    assert browser.post("/hits/account/", form).url == "/hits/login/"
    assert other.get("/hits/").status_code == 302
    login = {"username": "ann", "password": "nine green horses"}
    assert Client().post("/hits/login/", login).status_code == 302


def test_closed_account_loses_access_immediately(worker, browser):
    accounts.close_account(worker=worker)
    assert browser.get("/hits/").status_code == 302
    login = {"username": "ann", "password": PASSWORD}
    assert Client().post("/hits/login/", login).status_code == 200


def test_worker_and_staff_accounts_are_separate(browser, client):
    assert browser.get("/hits/operator/").url.startswith("/hits/operator/login/")
    User = get_user_model()  # noqa: N806
    assert not User.objects.exists()
    client.force_login(User.objects.create_superuser("root", "r@example.org", "x"))
    assert client.get("/hits/").url.startswith("/hits/login/")
    assert client.get("/hits/operator/").status_code == 200


def test_session_costs_one_query(browser, django_assert_num_queries):
    with django_assert_num_queries(1):
        browser.get("/hits/account/")


@pytest.mark.parametrize("end", ["logged out", "expired", "account closed", "session altered"])
def test_work_and_accept_pages_require_a_valid_session(worker, browser, publish, end):
    """Both pages check the session within the query for their content."""
    hit = publish(MaxAssignments=2)
    assignment = accept(browser, hit)
    work, group = f"/hits/work/{assignment}/", f"/hits/groups/{hit['HITTypeId']}/accept/"
    assert browser.get(work).status_code == 200
    if end == "logged out":
        del browser.cookies[accounts.COOKIE]
    elif end == "session altered":
        browser.cookies[accounts.COOKIE] = f"{browser.cookies[accounts.COOKIE].value}x"
    elif end == "expired":
        WorkerSession.objects.update(expires_at=timezone.now())
    else:
        WorkerAccount.objects.filter(pk=worker.pk).update(active=False)
    assert browser.get(work).url == f"/hits/login/?{urlencode({'next': work})}"
    assert browser.post(group).url == f"/hits/login/?{urlencode({'next': group})}"
    assert Assignment.objects.count() == 1


def test_work_of_another_worker_is_not_found(browser, publish):
    assignment = accept(browser, publish())
    assert log_in(make_worker("ben")).get(f"/hits/work/{assignment}/").status_code == 404
    assert browser.post("/hits/groups/3NEVER/accept/").status_code == 302
