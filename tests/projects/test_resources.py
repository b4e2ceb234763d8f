"""Tests of project resources: versions, contexts and look-ups."""

import pytest

from annotation.domain.corpus.item_context import context_of
from projects.domain.create_project import create_project
from projects.domain.resources import UnknownResourceError, change_resource, look_up, resources_of
from projects.models import Project
from schemes.contract.errors import ContentError
from schemes.registry import SCHEMES
from tests.annotation.factories import NOW, make_item
from tests.annotation.factories import make_project as make_qasrl_project
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(monkeypatch) -> Project:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    pay = SCHEME.vocabulary.pay_presets["labels"]
    return create_project(slug="labels", scheme=SCHEME.name, pay_scheme=pay, now=NOW)


def add(project: Project, *names: str, to: str = "labels"):
    changed = change_resource(
        project=project, name=to, value=list(names), actor="requester", now=NOW
    )
    return changed.resource


def test_newest_version_is_current_and_others_are_kept(project):
    assert resources_of(project) == {}
    first, second = add(project, "calm"), add(project, "calm", "angry")
    assert (first.version, second.version) == (1, 2)
    assert resources_of(project) == {"labels": {"names": ["calm", "angry"]}}
    stored = project.resources.order_by("version").values_list("value", flat=True)
    assert list(stored) == [{"names": ["calm"]}, {"names": ["calm", "angry"]}]


def test_unchanged_value_adds_no_version(project):
    first = add(project, "calm")
    assert add(project, "calm") == first
    assert project.resources.count() == 1


def test_invalid_value_and_unknown_name_are_refused(project):
    with pytest.raises(ContentError, match="a list of label names"):
        change_resource(
            project=project, name="labels", value={"names": ["calm"]}, actor="requester", now=NOW
        )
    with pytest.raises(UnknownResourceError, match="no resource 'lexicon'"):
        add(project, "calm", to="lexicon")
    assert project.resources.count() == 0


def test_items_of_a_project_share_a_value(project, django_assert_num_queries):
    add(project, "calm")
    items = [make_item(project) for _ in range(3)]
    # The process caches the value, and the project caches the current version.
    for queries in (2, 1):
        same = Project.objects.get(pk=project.pk)
        with django_assert_num_queries(queries):
            contexts = [context_of(item, same) for item in items]
        assert [context.resources for context in contexts] == [{"labels": {"names": ["calm"]}}] * 3


def test_scheme_without_resources_causes_no_query(django_assert_num_queries):
    item = make_item(make_qasrl_project())
    with django_assert_num_queries(0):
        assert context_of(item).resources == {}


def test_look_up_searches_the_current_version(project):
    assert look_up(project=project, name="labels", query="a") == []
    add(project, "calm")
    add(project, "Angry", "bored", "calm")
    results = look_up(project=project, name="labels", query="a")
    assert results == [{"name": "Angry"}, {"name": "calm"}]


def test_look_up_returns_at_most_fifty_results(project):
    add(project, *[f"label {number}" for number in range(80)])
    assert len(look_up(project=project, name="labels", query="label")) == 50
