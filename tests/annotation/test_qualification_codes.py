"""A project's own qualifications are told from those of a project whose name begins alike."""

import pytest

from annotation.domain.qualification_codes import (
    done_code,
    pool_code,
    qualifications_of,
    round_code,
)
from annotation.domain.queries import known_workers
from crowd.domain.qualifications import grant_qualification
from crowd.models import QualificationType
from projects.enums import Role
from tests.annotation.factories import NOW, make_item, make_project
from tests.consolidation.factories import make_worker

pytestmark = pytest.mark.django_db


def define(project, code: str) -> QualificationType:
    return QualificationType.objects.create(
        provider=project.provider, code=code, name=code, description="x"
    )


def test_every_kind_is_the_projects_own_and_no_other_projects():
    project, alike = make_project("news"), make_project("news-2")
    made = {}
    for one in (project, alike, make_project("news-generator")):
        item = make_item(one)
        codes = [pool_code(one, role) for role in Role.values]
        codes += [round_code(one, Role.GENERATOR, 2), done_code(one, item)]
        made[one.slug] = {define(one, code).code for code in codes}
    for one in (project, alike):
        assert {kind.code for kind in qualifications_of(one)} == made[one.slug]


def test_who_holds_a_qualification_is_known_before_any_work():
    project, alike, worker = make_project("news"), make_project("news-2"), make_worker()
    pool = define(alike, pool_code(alike, Role.GENERATOR))
    grant_qualification(qualification=pool, worker=worker, value=1, now=NOW)
    assert list(known_workers(project=alike)) == [worker]
    assert list(known_workers(project=project)) == []
