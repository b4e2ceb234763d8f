"""Statements that are written out read what the ORM reads, and PostgreSQL keeps them prepared."""

from datetime import timedelta

import environ
import pytest
from django.db import models
from django.db.utils import ConnectionHandler
from django.utils import timezone

from annotation.domain.create_project import write_guidelines
from annotation.models import Guidelines, Project
from database import statements
from database.statements import Columns, Select, Statement
from tests.annotation.factories import make_project

pytestmark = pytest.mark.django_db

BY_SLUG = Select(
    Project, "SELECT {p}, 1 + 1 AS two FROM annotation_project p WHERE p.slug = %s AND p.id > %s"
)


def test_reads_every_field_as_the_orm_does():
    made = make_project()
    found = BY_SLUG.first([made.slug, 0])
    stored = Project.objects.get(pk=made.pk)
    for field in Project._meta.concrete_fields:
        assert getattr(found, field.attname) == getattr(stored, field.attname), field.name
    assert found.two == 2
    assert not found.get_deferred_fields()
    assert not found._state.adding


def test_finds_nothing_where_there_is_nothing():
    assert BY_SLUG.first(["nobody", 0]) is None


def test_columns_that_are_not_selected_are_fetched_when_asked_for():
    made = make_project()
    part = Select(Project, "SELECT id, scheme FROM annotation_project WHERE id = %s")
    found = part.first([made.pk])
    assert "slug" in found.get_deferred_fields()
    assert (found.scheme, found.slug) == (made.scheme, made.slug)


def test_columns_of_several_tables_are_told_apart():
    made = make_project()
    for_project, for_guidelines = Columns(Project, "p"), Columns(Guidelines, "g", ["text"])
    both = Statement(f"""
        SELECT 7, {for_project.sql}, {for_guidelines.sql} FROM annotation_project p
        LEFT JOIN annotation_guidelines g ON g.project_id = p.id AND g.version = %s
        WHERE p.id = %s""")
    Guidelines.objects.filter(project=made).delete()
    written = write_guidelines(project=made, role="generator", text="Ask.", now=timezone.now())

    row = both.one([written.version, made.pk])
    stored = Project.objects.get(pk=made.pk)
    found = for_project.read(row, 1)
    for field in Project._meta.concrete_fields:
        assert getattr(found, field.attname) == getattr(stored, field.attname), field.name
    guidelines = for_guidelines.read(row, 1 + for_project.width)
    assert (guidelines.pk, guidelines.text) == (written.pk, "Ask.")
    assert "written_at" in guidelines.get_deferred_fields()
    assert len(row) == 1 + for_project.width + for_guidelines.width

    alone = both.one([written.version + 1, made.pk])
    assert for_project.read(alone, 1) == stored
    assert for_guidelines.read(alone, 1 + for_project.width) is None


def test_moments_are_written_and_compared_as_the_orm_does():
    made, now = make_project(), timezone.now()
    Project.objects.filter(pk=made.pk).update(created_at=now)
    earlier = Statement("SELECT count(*) FROM annotation_project WHERE created_at <= %s")
    assert earlier.one([now]) == (1,)
    assert earlier.one([now - timedelta(microseconds=1)]) == (0,)


def test_says_how_many_rows_it_touched():
    made = make_project()
    named = Statement("UPDATE annotation_project SET title = %s WHERE id = %s")
    assert (named.run(["other", made.pk]), named.run(["other", made.pk + 1])) == (1, 0)
    assert Statement("SELECT title FROM annotation_project").all([]) == [("other",)]


def test_locks_where_the_database_can():
    # SQLite, which can't, would refuse the words.
    assert Statement("SELECT 1", lock="FOR UPDATE").one([]) == (1,)


# --- on PostgreSQL ---------------------------------------------------------------------------


class Page(models.Model):
    """A table of this test's own, which gets another column."""

    text = models.TextField()

    class Meta:
        app_label = "tests"
        managed = False
        db_table = "written_page"

    def __str__(self) -> str:
        return self.text


@pytest.fixture
def server(postgres_url, monkeypatch):
    settings = {**environ.Env.db_url_config(postgres_url), "ENGINE": "database.postgresql"}
    connections = ConnectionHandler({"default": settings})
    monkeypatch.setattr(statements, "connections", connections)
    link = connections["default"]
    yield link
    link.close()


def prepared(link) -> list[str]:
    with link.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements ORDER BY name")
        return [row[0] for row in cursor.fetchall()]


def test_statement_is_prepared_once_for_each_connection(server):
    first, second = Statement("SELECT %s + 1"), Statement("SELECT 2")
    assert [first.one([1]), first.one([5]), second.one([])] == [(2,), (6,), (2,)]
    assert [text.rpartition(" AS ")[2] for text in prepared(server)] == [
        "SELECT $1 + 1",
        "SELECT 2",
    ]
    server.close()
    assert first.one([2]) == (3,)
    assert len(prepared(server)) == 1


def test_value_that_is_named_is_passed_once_however_often_it_stands_there(server):
    named = Statement("SELECT %(a)s::int - %(b)s::int, %(a)s")
    assert named.one({"a": 7, "b": 4}) == (3, 7)
    assert named.one({"b": 1, "a": 2, "unused": 5}) == (1, 2)
    assert prepared(server)[0].endswith("AS SELECT $1::int - $2::int, $1")


def test_values_that_are_named_are_taken_by_sqlite_too():
    named = Statement("SELECT %(a)s + %(b)s, %(a)s", prepared=False)
    assert named.one({"a": 3, "b": 4}) == (7, 3)


def test_settings_of_the_planner_end_with_the_transaction(server):
    shown = Statement("SELECT current_setting('enable_sort')", planned=["enable_sort = off"])
    assert shown.one([]) == ("off",)
    assert Statement("SELECT current_setting('enable_sort')").one([]) == ("on",)


def test_one_plan_is_made_for_all_values(server):
    once = Statement("SELECT relname FROM pg_class WHERE oid = %s")
    for number in range(3):
        once.one([number])
    with server.cursor() as cursor:
        cursor.execute("SELECT generic_plans, custom_plans FROM pg_prepared_statements")
        assert cursor.fetchall() == [(3, 0)]


def test_lock_is_part_of_what_is_prepared(server):
    Statement("SELECT 1", lock="FOR UPDATE").one([])
    assert prepared(server)[0].endswith("AS SELECT 1 FOR UPDATE")


def test_statement_that_failed_is_not_taken_for_prepared(server):
    later = Statement("SELECT count(*) FROM not_there_yet")
    with pytest.raises(Exception, match="not_there_yet"):
        later.one([])
    with server.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE not_there_yet (id int)")
    assert later.one([]) == (0,)


def test_nothing_is_prepared_where_connections_are_handed_around(server, settings):
    settings.DATABASE_PREPARES = False
    assert Statement("SELECT %s + 1").one([1]) == (2,)
    assert Statement("SELECT 3", prepared=False).one([]) == (3,)
    assert prepared(server) == []


def test_prepared_statement_outlives_a_new_column(server):
    with server.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE written_page (id bigserial, text text)")
        cursor.execute("INSERT INTO written_page (text) VALUES ('read')")
    page = Select(Page, "SELECT {p} FROM written_page p WHERE p.text = %s")
    assert page.first(["read"]).text == "read"
    with server.cursor() as cursor:
        cursor.execute("ALTER TABLE written_page ADD COLUMN more int DEFAULT 7")
    assert page.first(["read"]).text == "read"


def test_nothing_is_compiled_to_machine_code(server):
    with server.cursor() as cursor:
        cursor.execute("SHOW jit")
        assert cursor.fetchone() == ("off",)
