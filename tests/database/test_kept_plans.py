"""PostgreSQL keeps the plans of an annotation's statements. One made on a site's first morning, with no
assignments and no drafts yet, must do for its busiest day."""

import re
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from annotation.domain.drafts import PageState, save_draft, submit_draft
from annotation.domain.find_task import find_opened_task, find_task
from annotation.domain.worker_page import Claim
from annotation.models import Draft
from marketplace.domain import accounts, claims, queries, work
from tests.annotation.factories import make_item, make_project, make_task
from tests.marketplace.conftest import make_requester, make_worker
from tests.marketplace.test_books import publish_in_domain
from tests.marketplace.test_claims import fill

pytestmark = pytest.mark.django_db

# Tables with a row or more for each worker, item or annotation.
GROWING = {
    "annotation_draft",
    "annotation_item",
    "annotation_sentence",
    "annotation_task",
    "annotation_taskitem",
    "crowd_hit",
    "marketplace_assignment",
    "marketplace_hit",
    "marketplace_workeraccount",
    "marketplace_workersession",
}
OF_TASK = {
    ("annotation_task", "public_id"),
    ("annotation_taskitem", "task_id"),
    ("annotation_item", "id"),
    ("annotation_sentence", "id"),
}
# By what they may be searched: whatever finds a few rows however many there are.
SEARCHES = {
    "accept": {
        ("marketplace_workersession", "digest"),
        ("marketplace_workeraccount", "id"),
        ("marketplace_assignment", "worker_id"),  # in progress; the worker's place in the group
        ("marketplace_assignment", "hit_id"),  # whether the worker had the HIT
        ("marketplace_hit", "hit_type_id"),  # the next open one, or
        ("marketplace_hit", "id"),  # from the worker's place on; the one that was found
    },
    "wrapper": {
        ("marketplace_workersession", "digest"),
        ("marketplace_workersession", "worker_id"),  # a few
        ("marketplace_workeraccount", "id"),
        ("marketplace_assignment", "code"),
        ("marketplace_hit", "id"),
    },
    "page": OF_TASK | {("annotation_draft", "assignment_ref")},
    "save": OF_TASK | {("annotation_draft", "assignment_ref"), ("annotation_draft", "id")},
    "submit": OF_TASK | {("crowd_hit", "id")},
    "externalSubmit": {
        ("marketplace_assignment", "code"),
        ("marketplace_workeraccount", "code"),
        ("marketplace_hit", "id"),
    },
}


@pytest.fixture
def searches():
    """Collects, under the step that is going on, the tables that were read and by what column; `None`
    where a table or an index is walked through."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite plans by what is declared, not by what is stored")
    found: dict[str, set[tuple[str, str | None]]] = {}
    step = ""

    def begin(name: str) -> None:
        nonlocal step
        step = name
        found[step] = set()

    def listen(execute, sql, params, many, context):
        settings, _, call = sql.rpartition("; ")
        if step and call.startswith("EXECUTE"):
            with connection.connection.cursor() as cursor:  # past this listener
                cursor.execute(f"{settings}; EXPLAIN (FORMAT JSON) {call}", params)
                [[[explained]]] = cursor.fetchall()
            found[step] |= set(_searches(explained["Plan"]))
        return execute(sql, params, many, context)

    begin.found = found
    with connection.execute_wrapper(listen):
        yield begin


def _searches(node: dict) -> Iterator[tuple[str, str | None]]:
    if node.get("Relation Name") in GROWING and node["Node Type"].endswith("Scan"):
        column = re.match(r"\W*(\w+)", node.get("Index Cond", ""))
        yield node["Relation Name"], column and column[1]
    for part in node.get("Plans", ()):
        yield from _searches(part)


def test_no_statement_of_an_annotation_walks_through_a_table_that_was_empty_when_it_was_planned(
    searches,
):
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE annotation_draft, marketplace_assignment, crowd_hit CASCADE")
    now = timezone.now()
    project, hit = make_project(), publish_in_domain(make_requester()[0])
    fill(hit, 400)
    task, *_ = [make_task([make_item(project)]) for _ in range(30)]
    worker, *others = [make_worker(f"ann{number}") for number in range(30)]
    token, *_ = [accounts.start_session(worker=one, now=now) for one in (worker, *others)]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    assert not Draft.objects.exists()

    searches("accept")
    offer = claims.find_offer(token=token, hit_type_code=hit.hit_type.code, now=now)
    code = claims.accept_offered(offer, now=now)
    searches("wrapper")
    assert queries.work_page(token=token, assignment_code=code, now=now)
    searches("page")
    claim = Claim(str(task.public_id), code, worker.code)
    assert find_task(UUID(claim.public_id))
    assert find_opened_task(task.public_id, claim)
    searches("submit")
    content = {str(item.pk): {"questions": []} for item in task.items.all()}
    submit_draft(claim=claim, state=PageState(0, content), parse=lambda item, raw: raw, now=now)
    searches("save")
    other = Claim(str(task.public_id), f"{code}2", worker.code)
    for revision in range(2):
        save_draft(claim=other, state=PageState(revision, content), now=now + timedelta(seconds=1))
    searches("externalSubmit")
    for _ in range(2):  # the second is a repeat, which takes the longer way
        work.submit(
            worker_code=worker.code, assignment_code=code, fields=[("content", "{}")], now=now
        )

    assert set(searches.found) == set(SEARCHES)
    for step, found in searches.found.items():
        assert found <= SEARCHES[step], step
        assert {table for table, _ in found} == {table for table, _ in SEARCHES[step]}, step
