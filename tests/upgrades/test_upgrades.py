"""A backup of each release, made in the middle of its work, is restored, and the work is finished."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.operations.manage import manage
from tests.starts import starter
from tests.upgrades.stored import BACKUP, FOLDER, SITE, figures_of, moved_to_the_present, versions

pytestmark = [pytest.mark.slow, pytest.mark.system]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def empty_site(request, embedded_site, collected, free_port) -> dict[str, str]:
    """Return the environment of a site without tables."""
    env = {**embedded_site, **SITE, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    if request.param == "postgresql":
        env["DATABASE_URL"] = request.getfixturevalue("postgres_url")
    return env


@pytest.fixture(params=versions())
def version(request) -> str:
    version: str = request.param
    return version


@pytest.fixture
def site(empty_site, version, tmp_path) -> dict[str, str]:
    """Restore the version's backup with today's code."""
    backup = moved_to_the_present(FOLDER / version / BACKUP, tmp_path / BACKUP)
    manage(empty_site, "restore", backup)
    return empty_site


def run(env: dict[str, str], name: str) -> Any:
    process = starter().run("-m", "tests.upgrades.work", name, env=env)
    assert process.returncode == 0, process.stderr[-5000:]
    return json.loads(process.stdout)


def kept(expected: Any, actual: Any) -> Any:
    """Return `actual` without the keys that a later version has added."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {key: kept(value, actual[key]) for key, value in expected.items() if key in actual}
    return actual


def test_restored_site_has_the_same_exports_money_work_and_pages(site, version):
    expected = figures_of(version)
    assert kept(expected, run(site, "figures")) == expected


@pytest.mark.long
def test_work_in_progress_is_finished_once(site, version):
    begun, done = figures_of(version)["open"], run(site, "finish")
    assert begun["assignments"]
    assert begun["drafts"]
    assert begun["held_bonuses"]
    assert begun["payments"]
    assert begun["jobs"] >= 2
    assert done["statuses"] == {"Approved": len(begun["assignments"])}
    assert done["recorded_once"]
    assert done["paid"] == {"confirmed": len(begun["held_bonuses"]) + len(begun["payments"])}
    assert set(done["without_gold"].values()) == {0}
    assert done["entries"] == {"scored": 2}
    assert done["paid_out"] > begun["due_to_workers"]
    left = done["open"]
    assert (left["assignments"], left["drafts"], left["held_bonuses"]) == ([], {}, [])
    assert (left["payments"], left["jobs"], left["due_to_workers"]) == ([], 0, 0)
    books = done["books"]
    assert books["doubled"] == 0
    for budget in books["budgets"].values():
        ledger = {"reserve": 0, "release": 0, "settle": 0, **budget["in_ledger"]}
        assert budget["spent"] == ledger["settle"]
        assert budget["reserved"] == ledger["reserve"] - ledger["release"] - ledger["settle"]


def test_backup_is_small_and_has_no_secret_of_a_site(version):
    path = Path(FOLDER / version / BACKUP)
    assert path.stat().st_size < 1_000_000
    assert b"secret_key" not in path.read_bytes()
