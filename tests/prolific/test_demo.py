"""The demo with the Prolific stand-in, in separate processes."""

import subprocess
import sys

import pytest

from tests.conftest import Migrate
from tests.environment import ROOT, find_free_port

pytestmark = pytest.mark.system


@pytest.mark.usefixtures("collected")
def test_demo_pays_a_whole_campaign(embedded_site: dict[str, str], migrate: Migrate):
    environment = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{find_free_port()}"}
    migrate(environment)
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
