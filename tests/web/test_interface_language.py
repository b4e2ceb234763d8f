"""The language of workers' pages, and the English of all others."""

import pytest
from django.conf import settings
from django.http import HttpRequest
from django.test import RequestFactory
from django.urls import get_resolver
from django.utils import translation

from marketplace.forms import GroupFilterForm
from web.interface_language import (
    best_language,
    interface_language,
    is_for_workers,
    script_texts,
    with_parameter,
)
from web.money import dollars

GERMAN = {"Accept-Language": "de-AT,de;q=0.8,en;q=0.5"}


def request_of(accepted: str = "", *, cookie: str = "", path: str = "/") -> HttpRequest:
    request = RequestFactory(headers={"Accept-Language": accepted}).get(path)
    if cookie:
        request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = cookie
    return request


@pytest.mark.parametrize(
    ("accepted", "cookie", "path", "language"),
    [
        ("", "", "/", "en"),
        ("de-AT,de;q=0.8", "", "/", "de"),
        ("fr,de;q=0.5", "", "/", "de"),
        ("ja,*;q=0.1", "", "/", "en"),
        ("en-GB,de;q=0.9", "", "/", "en"),
        ("de", "en", "/", "en"),
        ("en", "de", "/", "de"),
        ("en", "nonsense\0", "/", "en"),
        ("en", "en", "/?lang=de", "de"),
        ("de", "", "/?lang=../../x", "de"),
    ],
)
def test_language_is_the_chosen_or_the_first_that_exists(accepted, cookie, path, language):
    assert interface_language(request_of(accepted, cookie=cookie, path=path)) == language


@pytest.mark.parametrize(
    ("accepted", "available", "language"),
    [
        ("fr-CA", ["en", "fr"], "fr"),
        ("pt-BR,pt;q=0.5", ["pt", "pt-BR"], "pt-BR"),
        ("ja", ["en", "fr"], ""),
        ("en,fr;q=0.1", ["en", "fr"], "en"),
    ],
)
def test_texts_of_a_project_may_have_other_languages_than_the_interface(
    accepted, available, language
):
    assert best_language(request_of(accepted), available) == language


@pytest.mark.django_db
def test_pages_for_staff_stay_english(client):
    for path in ("/login/", "/hits/operator/login/", "/hits/requester/login/"):
        page = client.get(path, headers=GERMAN)
        text = page.content.decode()
        assert ('lang="en"' in text, "Sign in" in text) == (True, True), path
        refused = client.post(path, {}, headers=GERMAN).content.decode()
        assert "Dieses Feld" not in refused
        assert "Accept-Language" not in page.headers.get("Vary", "")


@pytest.mark.django_db
def test_pages_for_workers_follow_the_browser_and_the_choice(client):
    page = client.get("/hits/login/", headers=GERMAN)
    assert '<html lang="de"' in page.content.decode()
    assert "Benutzername" in page.content.decode()
    assert ">English</button>" in page.content.decode()
    assert page.headers["Content-Language"] == "de"
    assert "Accept-Language" in page.headers["Vary"]
    refused = client.post("/hits/login/", {}, headers=GERMAN).content.decode()
    assert "Dieses Feld ist zwingend erforderlich." in refused
    response = client.post("/hits/language/", {"language": "en", "next": "/hits/login/"})
    assert response.headers["Location"] == "/hits/login/"
    assert "Username" in client.get("/hits/login/", headers=GERMAN).content.decode()
    assert translation.get_language() == "en"


def test_scripts_get_texts_in_other_languages_only():
    module = "js/schemes/qasrl/consolidator.js"
    assert script_texts(module) == {}
    with translation.override("de"):
        texts = script_texts("js/work/task.js", module)
        of_grounding = script_texts("js/schemes/grounding/generator.js")
    assert texts["Saved"] == "Gespeichert"
    assert texts["answer"] == ["Antwort", "Antworten"]
    # Each page has those of its own modules only.
    assert "answer" not in of_grounding
    assert of_grounding.keys() - texts.keys()
    assert [texts[""][count] for count in (0, 1, 2, 101)] == ["1", "0", "1", "1"]


def test_page_addresses_keep_the_language_of_the_frame():
    assert with_parameter(request_of(path="/?lang=de"), "/work/draft/") == "/work/draft/?lang=de"
    assert with_parameter(request_of(path="/?lang=xx"), "/work/draft/") == "/work/draft/"
    assert with_parameter(request_of(), "/work/draft/") == "/work/draft/"


def test_pages_for_workers_are_those_without_a_project_member():
    """The translated pages are the workers' site, sessions, tasks and personal links."""
    starts = {
        str(pattern.pattern).split("/")[0]
        for resolver in get_resolver().url_patterns
        for pattern in getattr(resolver, "url_patterns", [resolver])
        if hasattr(pattern, "callback") and is_for_workers(pattern.callback)
    }
    assert starts == {
        *("bonus", "compensation", "consolidate", "feedback", "generate", "hits", "mturk"),
        *("practice", "projects", "revise", "sessions", "validate", "work"),
    }


def test_amounts_have_the_separators_of_the_language():
    assert dollars(-123_456) == "-$1,234.56"
    with translation.override("de"):
        assert dollars(-123_456) == "-$1.234,56"


@pytest.mark.django_db
def test_error_pages_of_workers_have_no_header_for_staff(client):
    page = client.get("/practice/nothing/1/", headers=GERMAN)
    text = page.content.decode()
    assert (page.status_code, 'lang="de"' in text) == (404, True)
    assert "Skip to the content" not in text
    assert "Skip to the content" in client.get("/p/nothing/", headers=GERMAN).content.decode()


@pytest.mark.parametrize(
    ("language", "entered", "cents"),
    [("de", "0,50", 50), ("de", "0.50", 50), ("en", "0.50", 50), ("en", "0,50", None)],
)
def test_rewards_have_the_decimal_separator_of_the_language(language, entered, cents):
    with translation.override(language):
        form = GroupFilterForm({"reward": entered})
        form.full_clean()
        assert form.cleaned_data.get("reward") == cents
