"""Figures that take long are kept, shown with their time, and counted anew aside."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation.domain import kept_figures
from annotation.domain.kept_figures import (
    FRESH,
    TASK,
    Count,
    Kept,
    count_figures,
    figures_of,
    figures_of_each,
    forget_figures,
    name_of,
)
from annotation.domain.queries import work_of_everyone
from annotation.models import Project
from annotation.tasks import count_kept_figures
from dashboard.cost_figures import cost_figures_of
from dashboard.protocol import progress_of
from tests.dashboard.campaign import make_project


class Broker:
    """Stands for Celery's: remembers what it was given, or refuses it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[object]]] = []
        self.away = False

    def send_task(self, name: str, args: list[object]) -> None:
        if self.away:
            raise OperationalError("Connection refused.")
        self.asked.append((name, args))


@pytest.fixture
def broker(monkeypatch):
    broker = Broker()
    monkeypatch.setattr(kept_figures, "current_app", broker)
    return broker


@pytest.fixture
def slow(monkeypatch, db):
    """Every counting takes long enough to be kept."""
    monkeypatch.setattr(kept_figures, "KEEP_FROM", 0.0)
    caches["figures"].clear()


def title_of(*, project: Project) -> str:
    return Project.objects.get(pk=project.pk).title


def rename(project: Project, title: str) -> None:
    Project.objects.filter(pk=project.pk).update(title=title)


def age(figures: Count, project: Project, by: timedelta) -> None:
    """Let the kept figures, and the request for new ones, be `by` older."""
    cache = caches["figures"]
    key, asked = kept_figures._keys(figures, project)
    kept = cache.get(key)
    cache.set(key, Kept(kept.value, kept.counted_at - by))
    if (at := cache.get(asked)) is not None:
        cache.set(asked, at - by)


def test_what_is_counted_quickly_is_counted_for_each_request(project):
    assert figures_of(title_of, project=project).value == "Project demo"
    rename(project, "New")
    assert figures_of(title_of, project=project).value == "New"


def test_what_took_long_is_kept_for_a_moment(project, slow, broker):
    first = figures_of(title_of, project=project)
    rename(project, "New")
    assert figures_of(title_of, project=project) == first
    assert not broker.asked


def both(one: str, other: str, *, project: Project) -> str:
    return f"{one} and {other} of {title_of(project=project)}"


def test_what_they_are_of_is_kept_apart_and_told_to_the_task(project, slow, broker):
    assert figures_of(both, "gold", "expert", project=project).value.startswith("gold and expert")
    assert figures_of(both, "expert", "gold", project=project).value.startswith("expert and gold")
    rename(project, "New")
    with pytest.MonkeyPatch.context() as later:
        later.setattr(kept_figures, "FRESH", timedelta(0))
        assert figures_of(both, "gold", "expert", project=project).renewing
    [(_, args)] = broker.asked
    assert args == [project.pk, name_of(both), "gold", "expert"]
    count_kept_figures(*args)
    assert figures_of(both, "gold", "expert", project=project).value == "gold and expert of New"
    assert figures_of(both, "expert", "gold", project=project).value.endswith("of Project demo")


def test_old_figures_are_shown_while_a_task_counts_anew(project, slow, broker):
    figures_of(title_of, project=project)
    rename(project, "New")
    age(title_of, project, timedelta(seconds=6))
    shown = figures_of(title_of, project=project)
    assert (shown.value, shown.renewing) == ("Project demo", True)
    assert figures_of(title_of, project=project).renewing
    assert broker.asked == [
        ("annotation.tasks.count_kept_figures", [project.pk, name_of(title_of)])
    ]
    count_figures(title_of, project=project)
    assert figures_of(title_of, project=project).value == "New"


@pytest.mark.parametrize("figures", [progress_of, cost_figures_of, work_of_everyone])
def test_task_counts_and_keeps_them(campaign, project, slow, broker, figures):
    count_kept_figures(project.pk, name_of(figures))
    kept = figures_of(figures, project=project)
    assert kept.value == figures(project=project)
    assert timezone.now() - kept.counted_at < timedelta(minutes=1)
    assert not kept.renewing


def test_a_request_counts_itself_where_nobody_does(project, slow, broker):
    figures_of(title_of, project=project)
    rename(project, "New")
    age(title_of, project, timedelta(seconds=6))
    assert figures_of(title_of, project=project).renewing
    age(title_of, project, timedelta(seconds=31))
    assert figures_of(title_of, project=project).value == "New"


def test_a_request_counts_itself_where_there_is_no_broker(project, slow, broker):
    figures_of(title_of, project=project)
    rename(project, "New")
    age(title_of, project, timedelta(seconds=6))
    broker.away = True
    assert figures_of(title_of, project=project).value == "New"


def test_forgotten_figures_are_counted_for_the_next_request(project, slow, broker):
    figures_of(title_of, project=project)
    rename(project, "New")
    forget_figures(title_of, project=project)
    assert figures_of(title_of, project=project).value == "New"


PAGES = {"project": progress_of, "costs": cost_figures_of, "workers": work_of_everyone}


@pytest.mark.parametrize("route", PAGES)
@pytest.mark.usefixtures("slow", "broker")
def test_pages_say_when_their_figures_were_counted(office, campaign, route):
    figures = PAGES[route]
    url = reverse(f"dashboard:{route}", args=[campaign.project.slug])
    assert b"being counted anew" not in office.get(url).content
    age(figures, campaign.project, timedelta(hours=2))
    counted_at = figures_of(figures, project=campaign.project).counted_at
    page = office.get(url).content.decode()
    assert f"{counted_at:%H:%M:%S} UTC" in page
    if route != "project":  # which renews itself anyway
        assert "being counted anew" in page
        assert 'hx-trigger="load delay:3s"' in page


def titles_of_each(*, projects: list[Project]) -> dict[int, str]:
    return {one.pk: title_of(project=one) for one in projects}


def each(*projects: Project) -> dict[int, str]:
    return figures_of_each(title_of, titles_of_each, projects=projects)


def test_of_a_list_only_those_not_kept_are_counted(
    project, slow, broker, django_assert_num_queries
):
    assert each(project) == {project.pk: "Project demo"}
    other = make_project("other")
    rename(project, "New")
    with django_assert_num_queries(1):
        assert each(project, other) == {project.pk: "Project demo", other.pk: "Project other"}
    assert not broker.asked


def test_of_a_list_the_old_ones_are_counted_aside(project, slow, broker):
    each(project)
    rename(project, "New")
    age(title_of, project, FRESH + timedelta(seconds=1))
    assert each(project) == {project.pk: "Project demo"}
    assert broker.asked == [(TASK, [project.pk, name_of(title_of)])]
    count_figures(title_of, project=project)  # as the task does
    assert each(project) == {project.pk: "New"}


def test_of_a_list_the_old_ones_are_counted_at_once_where_no_broker_is(project, slow, broker):
    each(project)
    rename(project, "New")
    age(title_of, project, FRESH + timedelta(seconds=1))
    broker.away = True
    assert each(project) == {project.pk: "New"}


def test_a_list_that_is_counted_quickly_is_counted_for_each_request(project):
    each(project)
    rename(project, "New")
    assert each(project) == {project.pk: "New"}
