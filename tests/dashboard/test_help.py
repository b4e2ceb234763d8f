"""Tests of the help pages and of the links between them."""

import re
from posixpath import dirname, join, normpath

import pytest
from django.urls import get_resolver, reverse

from dashboard.help import DOCS, TOPICS, contents, titles, topic_of
from projects.permissions import page_rules
from web.markdown import headings_of

LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGES = [path for chapter in contents() for path, _ in chapter.pages]


@pytest.mark.parametrize("path", PAGES)
def test_help_page_opens_without_signing_in(client, db, path):
    response = client.get(reverse("dashboard:help_page", args=[path]))
    assert response.status_code == 200
    assert 'aria-current="page"' in response.content.decode()


@pytest.mark.parametrize("path", PAGES)
def test_links_between_pages_lead_to_a_page_and_a_heading(client, path):
    for target in LINK.findall((DOCS / path).read_text("utf-8")):
        file, _, heading = target.partition("#")
        if "://" in file or file.startswith("mailto:"):
            continue
        linked = normpath(join(dirname(path), file)) if file else path
        if linked.startswith("images/"):
            assert client.get(f"/help/{linked}").status_code == 200
            continue
        assert linked in titles(), target
        if heading:
            assert heading in headings_of((DOCS / linked).read_text("utf-8")), target


def test_unknown_pages_and_files_outside_are_not_found(client, db):
    for path in ("nothing.md", "../README.md", "%2e%2e/README.md", "images/nothing.png"):
        assert client.get(f"/help/{path}").status_code == 404


def test_help_link_matches_the_page():
    assert topic_of("consolidation:expert_queue") == "how-to/expert.md"
    assert topic_of("qualification:trainee") == "how-to/trainer.md"
    assert topic_of("somewhere:else") == "index.md"
    assert set(TOPICS.values()) <= set(titles())


def test_every_topic_belongs_to_an_existing_page():
    names = {*page_rules(), *_namespaces()}
    assert [topic for topic in TOPICS if not any(name.startswith(topic) for name in names)] == []


def _namespaces() -> set[str]:
    return {f"{name}:operator" for name in get_resolver().namespace_dict} | {"accounts"}
