"""Every route of one's own account has its rule, and keeps it."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts import urls
from annotation.permissions import RULES, Access

ARGUMENTS = {"choose_password": ["MQ", "token"], "accept": ["token"]}
NAMES = [str(one.name) for one in urls.urlpatterns]


def test_every_route_has_a_rule_and_every_rule_a_route():
    own = [name.removeprefix("accounts:") for name in RULES if name.startswith("accounts:")]
    assert sorted(own) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_anonymous_visitor_opens_what_is_public_alone(db, name):
    address = reverse(f"accounts:{name}", args=ARGUMENTS.get(name, []))
    answers = [Client().get(address), Client().post(address)]
    to_login = [
        one.status_code == 302 and one.url.startswith(reverse("dashboard:login")) for one in answers
    ]
    if RULES[f"accounts:{name}"] is Access.PUBLIC:
        assert not any(to_login)
    else:
        # A page that takes one method alone may say so first.
        assert any(to_login)
        assert {one.status_code for one in answers} <= {302, 405}
