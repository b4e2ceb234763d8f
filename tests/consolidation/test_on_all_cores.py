"""Work divided among processes: everything comes back, in order, and so does what goes wrong."""

import os
import signal
from functools import partial

import pytest
from django.db import connection, transaction

from annotation.models import Project
from consolidation.domain import export_gold as exports
from consolidation.domain import export_rows, on_all_cores
from consolidation.domain.export_gold import SUFFIXES, ExportOptions, export_gold
from consolidation.domain.on_all_cores import ShareFailed, do_shares, shares_for
from tests.annotation.factories import make_project
from tests.bench.gold_seed import seed_gold

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alone(monkeypatch):
    """As in a process that does nothing else; the tests' own has threads of its libraries."""
    monkeypatch.setattr(on_all_cores.threading, "active_count", lambda: 1)


def title_and_process(slug: str) -> tuple[str, int]:
    return Project.objects.get(slug=slug).title, os.getpid()


def test_each_share_is_done_in_a_process_of_its_own_and_comes_back_in_order():
    titles = [make_project(f"p{number}").title for number in range(3)]
    done = do_shares([partial(title_and_process, f"p{number}") for number in range(3)])
    assert [title for title, _ in done] == titles
    assert done[0][1] == os.getpid()
    assert len({process for _, process in done}) == 3
    assert Project.objects.count() == 3  # our own connection is as good as new


def fail(error: BaseException) -> None:
    raise error


def test_what_goes_wrong_in_another_process_is_raised_here(tmp_path):
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) as caught:
        do_shares([os.getpid, missing.read_text])
    assert caught.value.filename == str(missing)
    with pytest.raises(ShareFailed, match="ValueError: no such thing"):
        do_shares([os.getpid, partial(fail, ValueError("no such thing"))])


def test_a_process_that_is_killed_is_no_result():
    with pytest.raises(ShareFailed, match="was ended"):
        do_shares([os.getpid, lambda: os.kill(os.getpid(), signal.SIGKILL)])


def test_others_are_ended_when_this_one_fails():
    with pytest.raises(ValueError, match="here"):
        do_shares([partial(fail, ValueError("here")), signal.pause])


def test_there_is_one_share_where_others_would_not_see_the_work(alone, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert (shares_for(100, at_least=10), shares_for(25, at_least=10)) == (4, 2)
    assert (shares_for(9, at_least=10), shares_for(0, at_least=10)) == (1, 1)
    with transaction.atomic():
        connection.ensure_connection()
        assert shares_for(100, at_least=10) == 1


@pytest.mark.parametrize("fmt", sorted(SUFFIXES))
def test_export_has_the_same_bytes_however_many_share_it(fmt, alone, monkeypatch, tmp_path):
    project = seed_gold(24)
    monkeypatch.setattr(export_rows, "CHUNK", 2)
    folders = {}
    for many in (1, 2, 4):
        (tmp_path / str(many) / ".left-by-a-killed-one.parts").mkdir(parents=True)
        monkeypatch.setattr(exports, "shares_for", lambda count, at_least, many=many: many)
        export = export_gold(
            project=project, options=ExportOptions(fmt=fmt), folder=tmp_path / str(many)
        )
        folders[many] = {one.name: one.read_bytes() for one in export.folder.iterdir()}
        assert export.manifest["counts"]["items"] == 24
    assert folders[1] == folders[2] == folders[4]
    assert not any(name.startswith(".") for name in folders[1])
