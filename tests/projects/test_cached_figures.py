"""Tests that the figures of a project are cached for a few seconds."""

import pytest
from django.core.cache import cache
from django.urls import reverse

from projects.domain.cached_figures import figures_of, forget_figures
from projects.models import Project
from tests.dashboard.campaign import make_project
from tests.view_names import VIEW_NAMES


@pytest.fixture
def cached(settings, db):
    settings.FIGURES_TIMEOUT = 10
    cache.clear()
    yield
    cache.clear()


def title_of(*options: str, project: Project) -> str:
    return " ".join([*options, Project.objects.get(pk=project.pk).title])


def rename(project: Project, title: str) -> None:
    Project.objects.filter(pk=project.pk).update(title=title)


def test_figures_are_counted_once_within_the_timeout(project, cached):
    first = figures_of(title_of, project=project)
    rename(project, "New")
    assert figures_of(title_of, project=project) == first


def test_figures_of_other_projects_and_options_are_cached_separately(project, cached):
    other = make_project("other")
    assert figures_of(title_of, project=project).value == "Project demo"
    assert figures_of(title_of, project=other).value == "Project other"
    assert figures_of(title_of, "gold", project=project).value == "gold Project demo"


def test_figures_are_counted_for_each_request_without_a_timeout(project):
    figures_of(title_of, project=project)
    rename(project, "New")
    assert figures_of(title_of, project=project).value == "New"


def test_invalidated_figures_are_counted_for_the_next_request(project, cached):
    figures_of(title_of, "gold", project=project)
    rename(project, "New")
    forget_figures(title_of, "gold", project=project)
    assert figures_of(title_of, "gold", project=project).value == "gold New"


def counted_at_of(response):
    context = response.context
    return context["listing"].counted_at if "listing" in context else context["cached"].counted_at


@pytest.mark.parametrize("route", ["project", "costs", "workers", "batches"])
def test_pages_show_when_their_figures_were_counted(office, campaign, cached, route):
    url = reverse(VIEW_NAMES[route], args=[campaign.project.slug])
    first, second = office.get(url), office.get(url)
    counted_at = counted_at_of(first)
    assert counted_at_of(second) == counted_at
    assert f"{counted_at:%H:%M:%S} UTC" in second.content.decode()
