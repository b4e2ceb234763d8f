"""Cookies of an HTTPS site, which no page of another host can set."""

import json

import pytest

from config.hosts import share_cookies
from tests.operations.manage import manage

# The program runs in a separate process, because the names depend on SITE_URL at startup.
SIGN_IN = """
import json
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone
from marketplace.domain import access_keys
from marketplace.domain.accounts import accounts
now, password = timezone.now(), "nine green horses"
get_user_model().objects.create_superuser("root", password=password)
[invitation] = accounts.invite(count=1, now=now)
requester = access_keys.open_account(name="Lab", balance_cents=0, now=now)
key, secret = access_keys.issue_key(requester=requester, now=now)
worker = {"username": "rosa", "email": "rosa@example.org", "password": password, "country": "US"}
forms = {
    "/login/": {"login": "root", "password": password},
    f"/hits/join/{invitation.code}/": worker,
    "/hits/requester/login/": {"access_key_id": key.access_key_id, "secret": secret},
}
settings.SECOND_FACTOR_ROLES = frozenset()
cookies, client = {}, Client()
for path, form in forms.items():
    for answer in (client.get(path, secure=True), client.post(path, form, secure=True)):
        cookies |= {name: cookie.OutputString() for name, cookie in answer.cookies.items()}
answer = client.post("/projects/new/", {"title": "News", "scheme": "qasrl"}, secure=True)
cookies |= {name: cookie.OutputString() for name, cookie in answer.cookies.items()}
print(json.dumps(cookies))
"""


@pytest.fixture(scope="module")
def cookies(tmp_path_factory, migrate, collected) -> dict[str, str]:
    env = {"VAR_DIR": str(tmp_path_factory.mktemp("var")), "PATH": "/usr/bin:/bin"}
    env |= {"SITE_URL": "https://touchstone.example", "SECRET_KEY": "0123456789abcdef" * 4}
    env |= {"ALLOWED_HOSTS": "touchstone.example,testserver"}
    env |= {"STATIC_ROOT": collected}
    migrate(env)
    return json.loads(manage(env, "shell", "-v0", "-c", SIGN_IN).splitlines()[-1])


def test_every_cookie_belongs_to_the_host_alone(cookies):
    names = {"sessionid", "csrftoken", "hits_session", "requester_session"}
    assert cookies.keys() >= {f"__Host-{name}" for name in names}
    for name, text in cookies.items():
        attributes = {part.strip().lower() for part in text.split(";")[1:]}
        assert name.startswith("__Host-")
        assert {"path=/", "secure"} <= attributes
        assert not any(attribute.startswith("domain") for attribute in attributes)


@pytest.mark.parametrize(
    ("host", "other", "shared"),
    [
        ("touchstone.example", "touchstone.example", True),
        ("touchstone.example", "content.touchstone.example", True),
        ("www.touchstone.example", "content.touchstone.example", True),
        ("a.b.touchstone.example", "touchstone.example.", True),
        ("TOUCHSTONE.example", "c.touchstone.EXAMPLE", True),
        ("touchstone.example", "touchstone-content.example", False),
        ("lab.uni.ac.uk", "content.uni.ac.uk", True),
        ("lab.ac.uk", "content.ac.uk", False),
        ("lab.github.io", "content.github.io", False),
        ("127.0.0.1", "localhost", False),
        ("127.0.0.1", "127.0.0.2", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost", "content.localhost", True),
        ("::1", "127.0.0.1", False),
    ],
)
def test_hosts_of_a_registered_domain_share_cookies(host, other, shared):
    assert share_cookies(host, other) is share_cookies(other, host) is shared
