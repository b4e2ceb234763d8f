"""Files at the borders of the platform: what contradicts itself, and what other programs write."""

import pytest

from tests.borders.site import Desk


@pytest.fixture
def desk(db, job_files, tmp_path, monkeypatch):
    # Commands write long lists of bad rows into the current folder.
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)
