"""Qualifications of a project are distinguished from those of projects with a similar name."""

import pytest

from annotation.domain.publishing.qualification_codes import (
    done_code,
    pool_code,
    qualifications_of,
    round_code,
)
from annotation.domain.publishing.queries import known_workers
from crowd.domain.workers.qualifications import grant_qualification
from crowd.models import QualificationType
from projects.enums import Role
from tests.annotation.factories import NOW, make_item, make_project
from tests.consolidation.factories import make_worker

pytestmark = pytest.mark.django_db


def define(project, code: str) -> QualificationType:
    return QualificationType.objects.create(
        provider=project.provider, code=code, name=code, description="x"
    )


def test_qualifications_of_every_kind_belong_to_one_project():
    project, alike = make_project("news"), make_project("news-2")
    codes_of = {}
    for owner in (project, alike, make_project("news-generator")):
        item = make_item(owner)
        codes = [pool_code(owner, role) for role in Role.values]
        codes += [round_code(owner, Role.GENERATOR, 2), done_code(owner, item)]
        codes_of[owner.slug] = {define(owner, code).code for code in codes}
    for owner in (project, alike):
        assert {kind.code for kind in qualifications_of(owner)} == codes_of[owner.slug]


def test_worker_with_a_qualification_is_known_before_any_work():
    project, alike, worker = make_project("news"), make_project("news-2"), make_worker()
    pool = define(alike, pool_code(alike, Role.GENERATOR))
    grant_qualification(qualification=pool, worker=worker, value=1, now=NOW)
    assert list(known_workers(project=alike)) == [worker]
    assert list(known_workers(project=project)) == []
