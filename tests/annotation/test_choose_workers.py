"""The workers of a publication, by page, command and API."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.domain.publishing.choose_workers import WorkersError, choose_workers
from annotation.domain.publishing.qualification_codes import belongs_to
from annotation.models import Batch
from crowd.models import QualificationType
from projects.enums import MemberRole
from tests.annotation.factories import make_item, make_project
from tests.api.conftest import calling
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db
POOL = "news-generator"


@pytest.fixture
def project():
    project = make_project("news")
    make_item(project)
    return project


def define(code: str) -> QualificationType:
    return QualificationType.objects.create(provider="mturk", code=code, name=code, description="x")


@pytest.fixture
def api(project):
    return calling(make_user("rob", project, MemberRole.REQUESTER))


def by_api(api, **choice):
    return api.post(
        reverse("api:batches", args=["news"]),
        json.dumps({"limit": 1, **choice}),
        content_type="application/json",
        headers={"Idempotency-Key": "one"},
    )


def by_page(client, project, **choice):
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    form = {"count": 1, "unpublished": 1, "confirmed": "yes", **choice}
    return client.post(reverse("annotation:publish", args=[project.slug]), form)


def published_codes() -> list[str]:
    return [row["code"] for row in Batch.objects.get().qualifications]


def test_trained_pool_is_the_default_of_the_command(project):
    define(POOL)
    call_command("publish", "news")
    assert published_codes() == [POOL]


def test_trained_pool_is_the_default_of_the_api(api):
    define(POOL)
    assert by_api(api).status_code == 201
    assert published_codes() == [POOL]


@pytest.mark.django_db(transaction=True)
def test_trained_pool_is_chosen_on_the_page(client, project):
    define(POOL)
    client.force_login(make_user("olga", project, MemberRole.REQUESTER))
    page = client.get(reverse("annotation:publish", args=[project.slug]))
    assert page.context["form"]["pool"].value() == "pool"
    assert by_page(client, project, pool="pool").status_code == 302
    assert published_codes() == [POOL]


def test_anyone_is_chosen_in_words_by_command(project):
    define(POOL)
    call_command("publish", "news", "--who", "anyone")
    assert published_codes() == []


def test_anyone_is_chosen_in_words_by_api(api):
    define(POOL)
    assert by_api(api, who="anyone").status_code == 201
    assert published_codes() == []


@pytest.mark.django_db(transaction=True)
def test_anyone_is_chosen_in_words_on_the_page(client, project):
    define(POOL)
    assert by_page(client, project, pool="anyone").status_code == 302
    assert published_codes() == []


def test_project_without_a_pool_publishes_to_anyone(api):
    assert by_api(api).status_code == 201
    assert published_codes() == []


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"who": "pool"}, "who"),
        ({"groups": [1]}, "groups"),
        ({"who": "anyone", "groups": [1]}, "who"),
        ({"who": "anyone", "pool": "news-group"}, "who"),
        ({"pool": "other-generator"}, "pool"),
        ({"pool": "news-2-generator"}, "pool"),
        ({"pool": "nothing"}, "pool"),
    ],
)
def test_impossible_choice_is_refused(api, choice, field):
    make_project("other")
    make_project("news-2")
    for code in ("other-generator", "news-2-generator", "news-group"):
        define(code)
    response = by_api(api, **choice)
    assert response.status_code == 400
    assert [error["attr"] for error in response.json()["errors"]] == [field]
    options = [f"--{name}={value}" for name, value in choice.items() if name != "groups"]
    options += ["--groups", "1"] if "groups" in choice else []
    with pytest.raises(CommandError):
        call_command("publish", "news", *options)
    assert Batch.objects.count() == 0


def test_foreign_pool_looks_like_a_missing_one(api):
    """The answer doesn't show which projects exist."""
    make_project("other")
    define("other-generator")
    details = []
    for code in ("other-generator", "absent-generator"):
        [error] = by_api(api, pool=code).json()["errors"]
        details.append(error["detail"].replace(code, "CODE"))
    assert len(set(details)) == 1


def test_code_belongs_to_the_project_with_the_longest_slug():
    news, second, generator = (make_project(name) for name in ("news", "news-2", "news-generator"))
    owned = {
        "news-generator": news,
        "news-group": news,
        "news-2-generator": second,
        "news-2-group": second,
        "news-generator-round-1": news,
        "news-generator-generator": generator,
    }
    for code, owner in owned.items():
        owners = [project for project in (news, second, generator) if belongs_to(project, code)]
        assert owners == [owner], code


def test_named_qualification_of_the_project_replaces_the_pool(project):
    define(POOL)
    chosen = define("news-group")
    workers = choose_workers(project=project, code="news-group", groups=[2])
    assert (workers.pool, workers.groups) == (chosen, [2])


def test_pool_that_is_not_trained_yet_is_explained(project):
    with pytest.raises(WorkersError, match="news has no trained pool yet"):
        choose_workers(project=project, who="pool")


def test_only_qualifications_of_the_project_are_granted():
    make_project("news")
    make_project("other")
    with pytest.raises(CommandError, match="'other-generator' is not a qualification of news"):
        call_command("grant", "news", "other-generator")
    assert QualificationType.objects.count() == 0
