"""What is collected for browsers: compressed once, under the name that tells its content."""

import re
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage

from config.static_files import HashedModulesStorage

STYLE = "body { color: #123456; }\n" * 50


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "static" / "css").mkdir(parents=True)
    return tmp_path / "static"


def collect(folder: Path) -> None:
    """As `collectstatic` does it, with the files that are in `folder` already."""
    storage = HashedModulesStorage(location=folder, base_url="/static/")
    source = FileSystemStorage(location=folder)
    names = [f"css/{path.name}" for path in (folder / "css").glob("*") if path.name.count(".") == 1]
    names += ["css/a.min.css"] if (folder / "css" / "a.min.css").exists() else []
    for _, _, processed in storage.post_process({name: (source, name) for name in names}):
        assert not isinstance(processed, Exception)


def compressed(folder: Path) -> dict[str, int]:
    """Name -> when it was last touched."""
    found = [*folder.rglob("*.gz*"), *folder.rglob("*.br*")]
    return {str(path.relative_to(folder)): path.stat().st_ctime_ns for path in found}


def test_only_names_that_tell_the_content_are_compressed(folder):
    (folder / "css" / "a.css").write_text(STYLE)
    collect(folder)
    [plain, hashed] = sorted((path.name for path in folder.rglob("*.css")), key=len)
    assert plain == "a.css"
    assert sorted(compressed(folder)) == [f"css/{hashed}.br", f"css/{hashed}.gz"]


def test_second_collection_compresses_only_what_is_new(folder):
    (folder / "css" / "a.css").write_text(STYLE)
    collect(folder)
    first = compressed(folder)
    collect(folder)
    assert compressed(folder) == first
    (folder / "css" / "a.css").write_text(STYLE + "p { margin: 0; }")
    collect(folder)
    assert len(compressed(folder)) == 4
    assert first.items() < compressed(folder).items()


def test_compressed_copy_of_an_earlier_content_is_taken_away(folder):
    (folder / "css" / "a.css").write_text(STYLE)
    (folder / "css" / "a.css.gz").write_bytes(b"old")
    (folder / "css" / "a.css.br").write_bytes(b"old")
    collect(folder)
    assert "css/a.css.gz" not in compressed(folder)
    assert "css/a.css.br" not in compressed(folder)


def test_collection_cut_short_is_finished_by_the_next(folder, monkeypatch):
    (folder / "css" / "a.css").write_text(STYLE)

    def killed(self: Path, target: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            collect(folder)
    assert not [name for name in compressed(folder) if name.endswith((".gz", ".br"))]
    collect(folder)
    assert [name for name in compressed(folder) if name.endswith(".gz")]


def test_what_no_page_asks_for_is_not_compressed(folder):
    for name in ("a.css", "a.min.css", "a.map", "b.css"):
        (folder / "css" / name).write_text(STYLE)
    collect(folder)
    hashed = re.compile(r"\.[0-9a-f]{12}\.css\.(gz|br)$")
    assert {hashed.sub("", name) for name in compressed(folder)} == {"css/a.min", "css/b"}
