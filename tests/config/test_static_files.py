"""Static files are named by their content and compressed."""

import re
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage

from config.static_files import MINIFIERS, HashedModulesStorage
from tests.environment import ROOT
from web.script_texts import texts_of_script

FILES = {
    "js/spans.js": "export const spans = [];\n" * 50,
    "js/page.js": '// Adds.\nimport { spans } from "./spans.js";\n' + "spans.push(1);\n" * 50,
    "package/page.js": "// Adds.\n" + "spans.push(1);\n" * 50,
}


@pytest.fixture
def collected(tmp_path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    storage = HashedModulesStorage(location=tmp_path, base_url="/static/")
    source = FileSystemStorage(location=tmp_path)
    for _, _, processed in storage.post_process({name: (source, name) for name in FILES}):
        assert not isinstance(processed, Exception)
    return tmp_path / "js"


def hashed(folder: Path, stem: str) -> Path:
    (path,) = (
        file for file in folder.iterdir() if re.fullmatch(rf"{stem}\.\w{{8}}\.js", file.name)
    )
    return path


def test_import_in_a_module_follows_the_hashed_name(collected):
    text = hashed(collected, "page").read_text()
    assert f'from"./{hashed(collected, "spans").name}"' in text


def test_only_our_files_are_minified(collected):
    our_file, package_file = hashed(collected, "page"), hashed(collected.parent / "package", "page")
    assert "Adds" not in our_file.read_text()
    assert package_file.read_text() == FILES["package/page.js"]


def test_hashed_files_are_compressed(collected):
    path = hashed(collected, "page")
    assert path.with_name(f"{path.name}.br").exists()
    assert path.with_name(f"{path.name}.gz").exists()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "static" / "js").rglob("*.js")), ids=lambda path: path.name
)
def test_texts_of_scripts_are_not_minified(path):
    """Write a literal in an expression of another one before it: the minifier takes it for code."""
    source = path.read_text("utf-8")
    minified = MINIFIERS[".js"](source)
    assert set(texts_of_script(minified)) == set(texts_of_script(without_comments(source)))
    assert re.findall(r"\$\{[^}`]*`", source) == []


def without_comments(source: str) -> str:
    return re.sub(r"/\*[\s\S]*?\*/|^\s*//[^\n]*$", "", source, flags=re.MULTILINE)
