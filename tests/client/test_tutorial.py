"""The tutorial of the client, whose examples run unchanged against a live site."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.models import Batch
from tests.environment import ROOT
from tests.live_site import job_worker

TUTORIAL = ROOT / "docs" / "tutorials" / "python-client.md"
SAMPLES = ROOT / "schemes" / "qasrl" / "samples"


def blocks() -> list[str]:
    text = TUTORIAL.read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_examples_work_as_described(live_server, token, tmp_path: Path):
    for name in ("sentences.csv", "expert.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    environment = {
        **os.environ,
        "TOUCHSTONE": live_server.url,
        "TOKEN": token,
        "PYTHONPATH": str(ROOT / "client"),
    }
    with job_worker():
        process = subprocess.run(
            [sys.executable, "-W", "error", "-c", "\n".join(blocks())],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    output = process.stdout
    assert re.search(r"^\d+ items, and 0 bad rows$", output, re.MULTILINE)
    assert "sample:news:01:0" in output
    assert "\n0 newer\n" in output
    assert "\ngold/manifest.json\n" in output
    assert re.search(r"^[1-9]\d* cents are reserved$", output, re.MULTILINE)
    assert (
        "400 unknown_field {'cap_cent': [\"Unknown field. Did you mean 'cap_cents'?\"]}" in output
    )
    assert (tmp_path / "gold" / "manifest.json").exists()
    assert Batch.objects.count() == 1
    assert token not in output + process.stderr


def test_first_example_is_short():
    lines = [line for line in blocks()[0].splitlines() if line.strip()]
    assert len(lines) <= 10


@pytest.mark.slow
def test_examples_have_the_types_of_the_client(tmp_path: Path):
    program = tmp_path / "tutorial.py"
    program.write_text("\n".join(blocks()), "utf-8")
    options = ["--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}"]
    process = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(program)],
        env={**os.environ, "MYPYPATH": str(ROOT / "client")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout
