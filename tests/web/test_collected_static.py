"""Static files that a wheel contains are copied if they are those of this site."""

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from web.collected_static import are_collected, copy_prepared, record_collection


@pytest.fixture
def prepared(tmp_path, settings) -> Path:
    """Create the collected files of a wheel, and an empty STATIC_ROOT."""
    settings.PREPARED_DIR = tmp_path / "prepared"
    settings.STATIC_ROOT = folder = settings.PREPARED_DIR / "static"
    (folder / "css").mkdir(parents=True)
    (folder / "css" / "base.0123.css").write_text("b{}")
    record_collection()
    settings.STATIC_ROOT = tmp_path / "static"
    return folder


def test_prepared_files_are_copied_beside_earlier_ones(prepared, settings):
    earlier = settings.STATIC_ROOT / "css" / "base.9876.css"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("a{}")
    assert not are_collected()
    assert copy_prepared()
    assert are_collected()
    assert earlier.exists()
    assert (settings.STATIC_ROOT / "css" / "base.0123.css").read_text() == "b{}"


def test_prepared_files_of_other_sources_are_not_used(prepared, settings, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "new.css").write_text("c{}")
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, source]
    finders.get_finder.cache_clear()
    try:
        assert not copy_prepared()
    finally:
        finders.get_finder.cache_clear()
    assert not settings.STATIC_ROOT.exists()


def test_checkout_has_no_prepared_files(settings):
    assert not copy_prepared()
