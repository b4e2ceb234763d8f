"""Pages and the API of a site whose Redis is unavailable."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole
from tests.api.conftest import calling
from tests.dashboard.campaign import make_project, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_running_loop")]


@pytest.fixture
def without_redis(settings, free_port):
    settings.CACHES = {
        "default": {
            "BACKEND": "config.redis_cache.OptionalRedisCache",
            "LOCATION": f"redis://127.0.0.1:{free_port}/0",
        }
    }


@pytest.fixture
def requester(without_redis):
    return make_user("rita", make_project(), MemberRole.ADMIN)


def test_staff_sign_in_and_open_pages(requester):
    client = Client()
    form = {"login": "rita", "password": "a long enough password"}
    assert client.post("/login/", form).status_code == 302
    for name in ("dashboard:project", "consolidation:submissions", "dashboard:jobs"):
        assert client.get(reverse(name, args=["demo"])).status_code == 200
    assert client.get("/account/").status_code == 200


def test_api_answers_without_rate_limits(requester, settings):
    settings.API_READS_PER_MINUTE = 1
    for _ in range(3):
        assert calling(requester).get("/api/v1/projects/").status_code == 200


def test_cache_is_empty_and_health_reports_it(without_redis, client):
    cache.set("key", 1)
    assert cache.get("key", "default") == "default"
    assert cache.add("key", 1)
    assert cache.get_or_set("key", 2) == 2
    assert cache.get_many(["key"]) == {}
    with pytest.raises(ValueError, match="unavailable"):
        cache.incr("key")
    response = client.get(reverse("operations:ready"))
    assert response.status_code == 500
    assert response.json()["cache"] != "OK"
    assert client.get(reverse("operations:web")).status_code == 200


def test_cache_stores_values_with_redis(settings, redis_url):
    settings.CACHES = {
        "default": {"BACKEND": "config.redis_cache.OptionalRedisCache", "LOCATION": redis_url}
    }
    cache.set("key", 1)
    assert (cache.get("key"), cache.incr("key"), cache.add("key", 5)) == (1, 2, False)
