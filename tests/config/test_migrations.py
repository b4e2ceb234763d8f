"""Migrations must not break the previous version, which still runs during an update.

The rule is in docs/how-to/admin.md, "Update without downtime". Deliberate exceptions are listed
here with their reason.
"""

from collections.abc import Iterator

from django.db import models
from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

OWN = {
    "accounts", "annotation", "audit", "benchmarks", "consolidation", "crowd", "datasets", "jobs",
    "marketplace", "operations", "projects", "qualification", "rehearsal", "releases", "web",
}  # fmt: skip
ON_PURPOSE: dict[str, str] = {}
TAKES_AWAY = (
    ops.RemoveField,
    ops.DeleteModel,
    ops.RenameField,
    ops.RenameModel,
    ops.AlterModelTable,
)


def breaches(operations: list[Operation]) -> Iterator[str]:
    """Yield the operations that would break the version before this migration."""
    new = {
        operation.name_lower for operation in operations if isinstance(operation, ops.CreateModel)
    }
    for operation in operations:
        model = str(getattr(operation, "model_name", getattr(operation, "name", ""))).lower()
        if model in new:
            continue
        if isinstance(operation, TAKES_AWAY):
            yield f"{type(operation).__name__} {model}: old code still reads it"
        if isinstance(operation, ops.AddField) and _is_required(operation.field):
            yield f"AddField {model}.{operation.name}: old code omits it, so it needs db_default"


def _is_required(field: models.Field) -> bool:
    return not (field.null or field.many_to_many or field.has_db_default())


def test_no_migration_breaks_the_previous_version():
    loader = MigrationLoader(None)
    breaches_by_migration = {
        f"{app}.{name}": list(breaches(migration.operations))
        for (app, name), migration in loader.disk_migrations.items()
        if app in OWN
    }
    broken = {name: lines for name, lines in breaches_by_migration.items() if lines}
    assert broken.keys() - ON_PURPOSE.keys() == set(), broken
    assert ON_PURPOSE.keys() - broken.keys() == set()


def test_breaking_operations_are_detected():
    text = models.CharField(max_length=5)
    breaking = [
        ops.RemoveField("item", "key"),
        ops.RenameField("item", "key", "name"),
        ops.DeleteModel("Item"),
        ops.AddField("item", "colour", models.CharField(max_length=5, default="red")),
    ]
    for operation in breaking:
        assert list(breaches([operation]))
    fine = [
        ops.AddField("item", "colour", models.CharField(max_length=5, null=True)),
        ops.AddField("item", "colour", models.CharField(max_length=5, db_default="red")),
        ops.AddField("new", "colour", text),
    ]
    assert (
        list(
            breaches([ops.CreateModel("New", [("id", models.AutoField(primary_key=True))]), *fine])
        )
        == []
    )
