"""An update with the old version still running: the old code must get along with the new tables.

docs/how-to/admin.md, "Update without downtime", has the rule. A migration that breaks it on purpose is
named here with its reason.
"""

from collections.abc import Iterator

from django.db import models
from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

OWN = {
    "accounts", "annotation", "audit", "consolidation", "crowd", "datasets", "jobs", "marketplace",
    "operations", "projects", "qualification", "rehearsal", "web",
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
    """What the version before this migration would stumble over."""
    new = {one.name_lower for one in operations if isinstance(one, ops.CreateModel)}
    for one in operations:
        model = str(getattr(one, "model_name", getattr(one, "name", ""))).lower()
        if model in new:
            continue
        if isinstance(one, TAKES_AWAY):
            yield f"{type(one).__name__} {model}: old code still reads it"
        if isinstance(one, ops.AddField) and _must_be_given(one.field):
            yield f"AddField {model}.{one.name}: old code writes rows without it; give it db_default"


def _must_be_given(field: models.Field) -> bool:
    return not (field.null or field.many_to_many or field.has_db_default())


def test_no_migration_breaks_the_version_before_it():
    loader = MigrationLoader(None)
    found = {
        f"{app}.{name}": list(breaches(migration.operations))
        for (app, name), migration in loader.disk_migrations.items()
        if app in OWN
    }
    broken = {name: told for name, told in found.items() if told}
    assert broken.keys() - ON_PURPOSE.keys() == set(), broken
    assert ON_PURPOSE.keys() - broken.keys() == set()


def test_rule_sees_what_it_is_for():
    text = models.CharField(max_length=5)
    seen = [
        ops.RemoveField("item", "key"),
        ops.RenameField("item", "key", "name"),
        ops.DeleteModel("Item"),
        ops.AddField("item", "colour", models.CharField(max_length=5, default="red")),
    ]
    for one in seen:
        assert list(breaches([one]))
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
