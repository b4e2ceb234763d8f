"""The records that are written from the schema, and the package of the client."""

import subprocess
import sys
import typing
import zipfile

import pytest

from scripts.write_client import PATH, text
from tests.environment import ROOT
from touchstone_client import records

CLIENT = ROOT / "client"


def test_records_are_current():
    assert PATH.read_text("utf-8") == text(), "run python -m scripts.write_client"


def test_records_do_not_describe_code():
    assert "serializer" not in PATH.read_text("utf-8").lower()


def test_records_have_the_types_of_the_schema():
    gold = typing.get_type_hints(records.Gold)
    assert gold["source"] == records.GoldSource
    assert gold["sentence"] == records.Sentence | None
    assert gold["content"] == dict[str, typing.Any]
    assert typing.get_args(records.JobState) == (
        "uploaded", "queued", "running", "finished", "failed", "cancelled",
    )  # fmt: skip
    assert records.NewBatchRequest.__required_keys__ == {"limit"}
    assert records.BatchPreview.__doc__ == "What a publication would cost. Nothing was published."


def test_client_imports_nothing_of_the_site():
    program = (
        f"import sys; sys.path.insert(0, {str(CLIENT)!r}); before = set(sys.modules); "
        "import touchstone_client; "
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    output = subprocess.run(
        [sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True
    ).stdout
    loaded = set(output.split()) - sys.stdlib_module_names
    assert {"requests", "touchstone_client"} <= loaded
    assert loaded & {"django", "pandas", "touchstone", "config", "web", "tests"} == set()


@pytest.mark.slow
def test_wheel_has_the_package_only(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=CLIENT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        [metadata] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        requirements = [
            line for line in archive.read(metadata).decode().splitlines() if "Requires-Dist" in line
        ]
    modules = {f"touchstone_client/{path.name}" for path in PATH.parent.glob("*.py")}
    assert names == modules | {"touchstone_client/py.typed"}
    assert requirements == [
        "Requires-Dist: requests>=2.32",
        "Requires-Dist: pandas>=2; extra == 'pandas'",
    ]
