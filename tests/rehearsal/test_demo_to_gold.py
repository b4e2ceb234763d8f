"""`manage.py demo` goes from nothing to gold in each scheme."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from schemes.registry import SCHEMES
from tests.environment import ROOT

pytestmark = [pytest.mark.system, pytest.mark.timeout(1200)]


@pytest.mark.parametrize("options", [["--items", "3"], pytest.param([], marks=pytest.mark.long)])
def test_demo_exports_gold_of_each_scheme(embedded_site, tmp_path, free_port, options):
    url = f"http://127.0.0.1:{free_port}"
    env = {**embedded_site, "SITE_URL": url, "STATIC_ROOT": str(tmp_path / "static")}
    demo = subprocess.Popen(
        [sys.executable, "manage.py", "demo", *options],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert demo.stdout
    said = []
    for line in demo.stdout:
        said.append(line)
        if line.startswith("Press Ctrl-C"):
            break
    demo.send_signal(signal.SIGINT)
    assert demo.wait() == 0, "".join(said)
    demo.stdout.close()
    manifests = list(Path(env["VAR_DIR"], "demo", "exports").glob("*/*/manifest.json"))
    samples = [scheme.name for scheme in SCHEMES.values() if scheme.sample]
    schemes = [json.loads(path.read_text("utf-8"))["scheme"] for path in manifests]
    assert sorted(schemes) == sorted(samples)
