"""The demo with the Prolific stand-in, in separate processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment import ROOT, find_free_port

pytestmark = pytest.mark.system


def test_demo_pays_a_whole_campaign(tmp_path: Path):
    environment = {
        **os.environ,
        "VAR_DIR": str(tmp_path),
        "SITE_URL": f"http://127.0.0.1:{find_free_port()}",
    }
    port = str(find_free_port())
    demo = [sys.executable, "-m", "tests.prolific.demo"]
    ended = subprocess.run(
        [*demo, "--once", "--items", "4", "--prolific-port", port],
        cwd=ROOT,
        check=False,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=500,
    )
    assert ended.returncode == 0, ended.stdout
    assert "4 of 4 items have gold" in ended.stdout
    assert "The ledger equals the wallet." in ended.stdout
