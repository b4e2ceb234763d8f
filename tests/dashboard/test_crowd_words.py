"""The pages of a project use the words of its crowd provider only."""

from collections.abc import Callable

import pytest

from crowd.enums import Provider
from tests.crowd_words import OF_MARKETPLACES, OF_STUDIES, crawl, places
from tests.dashboard.test_permissions import POSTED, PROJECT_ROUTES, address  # noqa: F401

Pages = Callable[[set[str]], dict[str, str]]


@pytest.fixture
def pages(office, project, address) -> Pages:  # noqa: F811
    """Return a function that opens all pages of the project without some of its routes."""

    def opened(left_out: set[str]) -> dict[str, str]:
        without = {address(name) for name in left_out}
        addresses = [address(name) for name in PROJECT_ROUTES if name not in POSTED]
        return crawl(office, addresses, prefix=f"/projects/{project.slug}/", left_out=without)

    return opened


def test_project_at_a_marketplace_has_no_words_of_studies(pages):
    texts = pages({"studies", "decide_session"})
    assert len(texts) > 100
    assert places(texts, OF_STUDIES) == {}


def test_project_at_prolific_has_no_words_of_marketplaces(pages, project):
    project.provider = Provider.PROLIFIC
    project.save()
    texts = pages({"export_details", "export_file"})  # written before, like the cards of releases
    texts = {path: text for path, text in texts.items() if "/releases/1." not in path}
    assert len(texts) > 100
    assert places(texts, OF_MARKETPLACES) == {}
