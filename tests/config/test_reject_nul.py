"""The NUL character, which PostgreSQL cannot store in text, in every part of a request."""

import re

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from tests.annotation.factories import make_project

pytestmark = pytest.mark.django_db
PAGES = ("/", "/login/", "/projects/news/", "/projects/news/gold/", "/hits/", "/hits/login/")


@pytest.fixture
def office(admin_client):
    make_project("news")
    return admin_client


@pytest.mark.parametrize("path", PAGES)
def test_nul_in_a_query_is_refused(path, office):
    for query in ("q=%00", "%00=1", "page=a%00b"):
        assert office.get(f"{path}?{query}").status_code == 400


@pytest.mark.parametrize("path", ["/projects/%00/", "/hits/join/a%00b/", "/static/%00", "/%00"])
def test_nul_in_a_path_is_refused(path, office):
    assert office.get(path).status_code == 400


def test_nul_in_a_form_is_refused(office):
    form = {"title": "a\x00b", "slug": "", "scheme": "qasrl", "cap": "1"}
    response = office.post("/projects/new/", form)
    assert response.status_code == 400
    assert "NUL" in response.content.decode()


EXAMPLES = {"slug": "news", "str": "news", "uuid": "00000000-0000-4000-8000-000000000000"}


def routes(patterns, prefix=""):
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern) and "^" not in path:
            yield (
                pattern,
                re.sub(r"<(?:(\w+):)?\w+>", lambda match: EXAMPLES.get(match[1], "1"), path),
            )


def open_routes():
    """Return the routes without a CSRF check, which would otherwise refuse the request first."""
    all_routes = routes(get_resolver().url_patterns)
    return sorted(
        path for pattern, path in all_routes if getattr(pattern.callback, "csrf_exempt", False)
    )


BODIES = {
    "application/json": '{"slug": "a\\u0000", "title": "\\u0000", "token": "\\u0000"}',
    "text/plain": '{"token": "\\u0000", "revision": 0, "content": {"\\u0000": "\\u0000"}}',
    "application/x-www-form-urlencoded": "assignmentId=%00&workerId=%00&content=%00&token=%00",
    "application/x-amz-json-1.1": '{"HITId": "\\u0000", "Keywords": "\\u0000"}',
}


QUERIES = ("", "?q=%00&assignmentId=%00&workerId=%00")


@pytest.mark.parametrize("kind", BODIES)
def test_routes_without_csrf_check_refuse_nul(kind, office):
    paths = open_routes()
    assert len(paths) > 20
    for path in paths:
        for query in QUERIES:
            response = office.post(f"/{path}{query}", BODIES[kind], content_type=kind)
            assert 400 <= response.status_code < 500, (path, query, response.status_code)


def test_routes_without_csrf_check_answer_nul_in_a_query(office):
    for path in open_routes():
        for query in QUERIES:
            response = office.get(f"/{path}{query}")
            assert response.status_code < 500, (path, query, response.status_code)
