"""Real MTurk tools, installed from PyPI and changed in one line, against a running marketplace."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.environment import ROOT

from .conftest import accept, submit

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
PAGE = ROOT / "docs" / "how-to" / "mturk-tools.md"
DRIVER = Path(__file__).with_name("real_tools.py")
PACKAGES = {"psiTurk": "psiturk==3.3.1", "oTree": "otree==6.0.15"}
# A row of the documented table: tool, file, what to replace, and by what.
ROW = re.compile(r"^\| (\w+) \| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|", re.MULTILINE)


def documented(tool: str) -> tuple[str, str, str]:
    rows = {row[0]: row[1:] for row in ROW.findall(PAGE.read_text())}
    return rows[tool]


@pytest.fixture(scope="session")
def packages(tmp_path_factory) -> Path:
    """Install the tools without their dependencies, of which these steps need none of their own."""
    folder = tmp_path_factory.mktemp("tools")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command = [*install, "--target", str(folder), *PACKAGES.values()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        pytest.skip(f"PyPI can't be reached: {done.stderr[-300:]}")
    return folder


@pytest.fixture
def run(packages, site, requester, tmp_path):
    """Return a function that runs a step of a tool in a process of its own."""
    # The settings of an oTree project
    (tmp_path / "settings.py").write_text('SESSION_CONFIGS = []\nLANGUAGE_CODE = "en"\n')

    def run_step(tool: str, step: str, *arguments: str):
        path, old, new = documented(tool)
        file = packages / path
        text = file.read_text()
        if old in text:
            changed = new.replace("https://touchstone.example", site)
            file.write_text(text.replace(old, changed.replace("touchstone.example", host(site))))
        if tool == "oTree":  # forces https, and this site has none
            file.write_text(file.read_text().replace("f'https://{host}'", "f'http://{host}'"))
        command = [sys.executable, str(DRIVER), tool, step, requester[1], requester[2], *arguments]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(packages)},
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    return run_step


def host(site: str) -> str:
    return urlsplit(site).netloc


@pytest.mark.parametrize("tool", PACKAGES)
def test_tool_publishes_reads_and_pays_a_hit(tool, run, browser, worker, mturk):
    hit = run(tool, "create")
    assert mturk.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"] == "Assignable"
    assert submit(browser, accept(browser, hit)).status_code == 200
    result = run(tool, "review", hit["HITId"])
    assert (result["worker"], result["status"]) == (worker.code, "Approved")
    if tool == "psiTurk":
        assert result["hits"] == 0  # deleted
        assert result["balance"] == 998.8  # without what the HIT reserves
    else:
        [bonus] = mturk.list_bonus_payments(HITId=hit["HITId"])["BonusPayments"]
        assert bonus["BonusAmount"] == "0.50"
