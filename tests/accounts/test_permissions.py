"""Tests of the account pages that are open without signing in."""

import pytest
from django.test import Client
from django.urls import URLResolver, reverse

from accounts import urls
from projects.permissions import Access, page_rules

ARGUMENTS = {
    "account_reset_password_from_key": ["MQ", "token"],
    "accounts:accept": ["token"],
    "accounts:end_session": [1],
    "accounts:finish_sign_up": ["token"],
    "accounts:first_account": ["token"],
}
PUBLIC = {
    "account_login",
    "account_logout",
    "account_inactive",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "accounts:accept",
    "accounts:finish_sign_up",
    "accounts:first_account",
    "accounts:sign_up",
}


def names(patterns, namespace=""):
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else namespace
            yield from names(pattern.url_patterns, inner)
        else:
            yield f"{namespace}{pattern.name}"


NAMES = sorted(names(urls.urlpatterns))


def test_routes_and_rules_match():
    rules = {name: rule for name, rule in page_rules().items() if name.startswith("accounts:")}
    assert sorted(rules) == [name for name in NAMES if name.startswith("accounts:")]
    assert {name for name, rule in rules.items() if rule is Access.PUBLIC} == {
        "accounts:accept",
        "accounts:finish_sign_up",
        "accounts:first_account",
        "accounts:sign_up",
    }


def test_sign_up_and_email_change_do_not_exist():
    for name in ("account_signup", "account_email", "account_set_password"):
        assert name not in NAMES
    for path in ("/signup/", "/account/signup/", "/account/email/"):
        assert Client().get(path).status_code == 404


@pytest.mark.parametrize("name", NAMES)
def test_anonymous_visitor_opens_only_public_pages(db, name):
    address = reverse(name, args=ARGUMENTS.get(name, []))
    answers = [Client().get(address), Client().post(address)]
    to_login = [
        answer.status_code == 302 and answer.url.startswith("/login/") for answer in answers
    ]
    if name == "account_logout":
        assert [answer.status_code for answer in answers] == [405, 302]
    elif name in PUBLIC:
        assert not any(to_login)
    else:
        # A page with only one method may refuse the other methods first.
        assert any(to_login)
        assert {answer.status_code for answer in answers} <= {302, 405}
