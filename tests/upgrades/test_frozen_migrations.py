"""Released migrations never change, because sites have applied them."""

import pytest

from scripts.freeze_migrations import digest_of, digests, frozen


def test_released_migrations_are_unchanged():
    now = digests()
    changed = {path for path, digest in frozen().items() if now.get(path) != digest}
    assert not changed, "Add a new migration instead (docs/development/releasing.md)."


def test_the_first_release_has_the_migrations_of_all_apps():
    apps = {path.partition("/")[0] for path in frozen()}
    assert "audit/append_only.py" in frozen()
    assert {"annotation", "audit", "consolidation", "crowd", "marketplace", "projects"} <= apps


MIGRATION = """
# Generated

class Migration:
    operations = [AddField("item", "note", CharField(max_length=20))]
"""


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("# Generated\n", "", True),
        ("class", "\n# Why\nclass", True),
        ("20", "30", False),
        ("note", "notes", False),
    ],
)
def test_comments_and_blank_lines_do_not_count(old, new, is_same):
    assert (digest_of(MIGRATION.replace(old, new)) == digest_of(MIGRATION)) is is_same
