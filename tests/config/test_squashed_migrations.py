"""A new database gets all tables at once, an old one goes on from where it is: both end up alike."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg2
import pytest
from django.apps.registry import Apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.settings import env
from operation.domain import restore_backup
from operation.domain.restore_backup import LoaderOf
from tests import environment
from tests.config.schema import rows, schema
from tests.config.test_migrations import OWN

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
# Where installations may be that are older than the squashed migrations.
EARLIER = [
    ("admin", "0003_logentry_add_action_flag_choices"),
    ("annotation", "0003_item_in_production"),
    ("audit", "0002_log_append_only"),
    ("auth", "0012_alter_user_first_name_max_length"),
    ("consolidation", "0003_partitions_and_monitoring"),
    ("crowd", "0003_steering_people_and_recovery"),
    ("marketplace", "0002_books_are_append_only"),
    ("qualification", "0002_rounds_in_use"),
    ("sessions", "0001_initial"),
]
# Tables whose rows the database itself keeps as they are.
APPEND_ONLY = (
    "audit_statechange",
    "consolidation_gold",
    "consolidation_judgment",
    "crowd_ledgerentry",
    "marketplace_bookentry",
)
Node = tuple[str, str]
MakeDatabase = Callable[[], BaseDatabaseWrapper]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def make_database(
    request, tmp_path_factory, worker_id, django_db_blocker
) -> Iterator[MakeDatabase]:
    """Gives an empty database each time it is called, as one more of Django's connections."""
    made: list[str] = []
    if request.param == "postgresql" and not environment.postgres_server():
        pytest.skip("no PostgreSQL: run `make test`, or set TEST_POSTGRES_URL")

    def make() -> BaseDatabaseWrapper:
        name = f"{environment.DATABASE_PREFIX}_{worker_id}_squash_{len(made)}"
        made.append(name)
        if request.param == "sqlite":
            file = tmp_path_factory.mktemp("database") / "it.sqlite3"
            own = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file), "OPTIONS": {}}
        else:
            _on_server(f"DROP DATABASE IF EXISTS {name}")
            _on_server(f"CREATE DATABASE {name}")
            url = environment.database_url(environment.postgres_server(), name)
            own = {**env.db_url_config(url), "ENGINE": "database.postgresql"}
        connections.databases[name] = {**settings.DATABASES["default"], **own}
        return connections[name]

    with django_db_blocker.unblock():
        yield make
        for name in made:
            connections[name].close()
            del connections[name], connections.databases[name]
            if request.param == "postgresql":
                _on_server(f"DROP DATABASE {name}")


def _on_server(command: str) -> None:
    connection = psycopg2.connect(environment.postgres_server())
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(command)
    connection.close()


def _migrate(connection: BaseDatabaseWrapper) -> None:
    call_command("migrate", database=connection.alias, verbosity=0, skip_checks=True)


def executor_of_originals(connection: BaseDatabaseWrapper) -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.loader.replace_migrations = False
    executor.loader.build_graph()
    return executor


def _applied(connection: BaseDatabaseWrapper) -> set[Node]:
    return set(MigrationRecorder(connection).applied_migrations())


def _squashed() -> dict[Node, list[Node]]:
    """Our squashed migrations -> what each stands for."""
    known = MigrationLoader(None).disk_migrations
    return {node: one.replaces for node, one in known.items() if one.replaces and node[0] in OWN}


@pytest.fixture(scope="module")
def new(make_database: MakeDatabase) -> BaseDatabaseWrapper:
    """A database made by `migrate` from nothing."""
    connection = make_database()
    _migrate(connection)
    return connection


@pytest.fixture(scope="module")
def old(make_database: MakeDatabase) -> tuple[BaseDatabaseWrapper, dict[str, Any]]:
    """A database of an earlier version with a few rows, brought up to this one; the rows of before."""
    connection = make_database()
    executor = executor_of_originals(connection)
    executor.migrate(EARLIER)
    executor.loader.build_graph()
    fill(executor.loader.project_state(EARLIER).apps, connection.alias)
    before = rows(connection)
    _migrate(connection)
    return connection, before


def fill(apps: Apps, alias: str) -> None:
    """A row in tables that later migrations change, and in those that guard their rows."""

    def add(label: str, **values: object) -> Any:
        return apps.get_model(label)._base_manager.using(alias).create(**values)

    user = add("auth.User", username="ada", password="!", date_joined=NOW)
    budget = add("crowd.Budget", key="project:news", cap_cents=5000, reserved_cents=6)
    hit_type = add(
        "crowd.HitType", provider="mturk", fingerprint="f", title="t", description="d",
        reward_cents=5, assignment_seconds=60, auto_approval_seconds=60,
    )  # fmt: skip
    hit = add(
        "crowd.Hit", token="t-1", url="https://here.test/1", lifetime_seconds=60, state="live",
        external_id="HIT1", prepared_at=NOW, budget=budget, hit_type=hit_type,
    )  # fmt: skip
    worker = add("crowd.Worker", provider="mturk", external_id="A1", first_seen_at=NOW)
    assignment = add(
        "crowd.Assignment", external_id="ASG1", hit=hit, worker=worker, accepted_at=NOW,
        submitted_at=NOW, answer={"roles": []},
    )  # fmt: skip
    add(
        "crowd.LedgerEntry", kind="reserve", amount_cents=5, fee_cents=1, key="k", at=NOW,
        budget=budget, hit=hit,
    )  # fmt: skip
    project = add(
        "annotation.Project", slug="news", title="News", scheme="qasrl", pay_scheme={},
        created_at=NOW, budget=budget,
    )  # fmt: skip
    batch = add(
        "annotation.Batch", project=project, role="consolidator", title="t", description="d",
        reward_cents=5, created_at=NOW,
    )  # fmt: skip
    sentence = add(
        "annotation.Sentence", project=project, external_id="s1", tokens=["It", "rains", "."]
    )
    item = add(
        "annotation.Item", project=project, sentence=sentence, key="s1_1", target={}, position=7
    )
    task = add("annotation.Task", role="generator", batch=batch, hit=hit)
    add("annotation.TaskItem", item=item, task=task, role="generator")
    submission = add(
        "annotation.Submission", item=item, role="generator", content={"roles": []},
        schema_version=1, opened_at=NOW, submitted_at=NOW, assignment=assignment, worker=worker,
    )  # fmt: skip
    case = add("consolidation.Case", item=item, opened_at=NOW)
    add("consolidation.CaseSource", case=case, submission=submission, position=0)
    gold = add(
        "consolidation.Gold", item=item, case=case, source="consolidated", version=1,
        content={"roles": []}, schema_version=1, created_at=NOW,
    )  # fmt: skip
    add(
        "consolidation.Decision", kind="pair-accepted", decided_at=NOW, decided_by=user,
        submission=submission, reference=gold,
    )  # fmt: skip
    add("consolidation.Review", gold=gold, drawn_at=NOW)
    training = add(
        "qualification.Round", project=project, ordinal=1, kind="training", title="First"
    )
    add("qualification.RoundItem", round=training, item=item, reference=gold, ordinal=0)
    enrolment = add(
        "qualification.Enrolment", round=training, worker=worker, state="finished", enrolled_at=NOW
    )
    evaluation = add(
        "qualification.Evaluation", enrolment=enrolment, rule="r", figures={"UA": {}},
        computed_from={}, computed_at=NOW,
    )  # fmt: skip
    add("qualification.Feedback", evaluation=evaluation, trainer=user, text="Well.", written_at=NOW)
    add(
        "audit.StateChange", aggregate="annotation.Batch", object_id=batch.pk, old="", new="open",
        actor="ada", at=NOW,
    )  # fmt: skip
    requester = add("marketplace.Requester", code="R1", name="Lab")
    add(
        "marketplace.BookEntry", requester=requester, kind="deposit", amount_cents=5000,
        created_at=NOW,
    )  # fmt: skip


# --- a new database and one of before --------------------------------------------------------


def test_new_database_has_the_schema_of_one_that_went_step_by_step(new, old):
    connection, _ = old
    assert schema(new) == schema(connection)


def test_new_database_guards_what_is_written_once(new):
    triggers = schema(new)["trigger" if new.vendor == "sqlite" else "triggers"]
    assert all(any(table in str(one) for one in triggers.values()) for table in APPEND_ONLY)


def test_both_know_the_same_migrations_as_applied(new, old):
    connection, _ = old
    assert _applied(new) == _applied(connection)
    assert _applied(new) >= _squashed().keys()


def test_no_row_of_before_is_lost_or_changed(old):
    connection, before = old
    after = rows(connection)
    assert sum(len(one) for table, one in before.items() if table.split("_")[0] in OWN) >= 25
    for table, ones in before.items():
        now = [
            {name: value for name, value in row.items() if name in ones[0]} for row in after[table]
        ] if ones else []  # fmt: skip
        missing = [one for one in ones if one not in now]
        assert not missing, table


def test_rows_of_before_are_guarded(old):
    connection, _ = old
    with connection.cursor() as cursor:
        for table in set(APPEND_ONLY) - {"consolidation_judgment"}:  # new: it has no rows
            with pytest.raises(DatabaseError, match=r"append-only|never changed"):
                cursor.execute(f"UPDATE {table} SET id = id + 100")


def test_database_at_the_last_of_the_originals_has_nothing_to_do(old):
    connection, _ = old
    recorder = MigrationRecorder(connection)
    for app, name in _squashed():
        recorder.record_unapplied(app, name)
    before = schema(connection)
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    _migrate(connection)
    assert schema(connection) == before
    assert _applied(connection) >= _squashed().keys()


# --- wherever a database stopped -----------------------------------------------------------


# The plan is the same on either engine.
@pytest.mark.parametrize("make_database", ["sqlite"], indirect=True, scope="module")
def test_any_beginning_of_the_originals_goes_on_to_all_of_them(make_database, monkeypatch):
    """By the record alone: what `migrate` would do next, after each of the originals. A restore, which
    has only the list of what was applied, sees the same migrations as `migrate` does."""
    connection = make_database()
    monkeypatch.setattr(restore_backup, "connection", connection)
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    executor = executor_of_originals(connection)
    squashed = _squashed()
    last = [one for one in executor.loader.graph.leaf_nodes() if one not in squashed]
    originals = [(one.app_label, one.name) for one, _ in executor.migration_plan(last)]
    assert len(originals) > 60
    for done, node in enumerate(originals, start=1):
        recorder.record_applied(*node)
        now = MigrationExecutor(connection)
        now.loader.check_consistent_history(connection)
        plan = [
            (one.app_label, one.name)
            for one, _ in now.migration_plan(now.loader.graph.leaf_nodes())
        ]
        to_do = [original for one in plan for original in squashed.get(one, [one])]
        assert sorted(to_do) == sorted(originals[done:]), f"after {node}"
        restored = LoaderOf(set(originals[:done]))
        assert restored.graph.nodes.keys() == now.loader.graph.nodes.keys(), f"after {node}"
