"""The examples of docs/reference/api.md, which run unchanged against a live site."""

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import requests
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection

from jobs.tasks import run_jobs
from tests.api.conftest import token_of

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "schemes" / "qasrl" / "samples"
TEXT = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture
def site(live_server, job_files):
    """Run a site with a published dataset and a job worker.

    Yield the environment of a script with the administrator's token.
    """
    corpus, gold = str(SAMPLES / "sentences.csv"), SAMPLES / "expert.csv"
    call_command("create_project", "published", scheme="qasrl")
    call_command("import_corpus", "published", corpus, format="qasrl-csv", items=[gold])
    call_command("import_gold", "published", str(gold), format="qasrl-csv", source="imported")
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    stop = threading.Event()
    worker = threading.Thread(target=_work, args=[stop])
    worker.start()
    yield {"TOUCHSTONE": live_server.url, "TOKEN": token_of(root)}
    stop.set()
    worker.join()


def _work(stop: threading.Event) -> None:
    """Run jobs like a worker process until the site stops."""
    while not stop.wait(0.2):
        run_jobs()
    connection.close()


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples require curl")
def test_examples_work_as_described(site, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    shutil.copy(SAMPLES / "sentences.csv", folder)
    environment = {**os.environ, **site}

    def run(command: list[str]) -> str:
        process = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
        return process.stdout

    common, *of_corpus, of_exports = blocks("sh")
    of_corpus.insert(0, common)
    output = run(["bash", "-euo", "pipefail", "-c", "\n".join(of_corpus)])
    assert '"state":"finished"' in output
    assert '"is_affordable":true' in output
    assert '"state":"paused"' in output
    assert output.rstrip().endswith("}")

    output = run([sys.executable, "-c", "\n".join(blocks("python"))])
    assert "reserved:" in output
    assert "changed since: False" in output
    assert "412 The resource has changed since you read it." in output

    helpers = "\n".join(
        line for line in common.splitlines() if line.startswith(("ask()", "field()"))
    )
    output = run(["bash", "-euo", "pipefail", "-c", f"{helpers}\n{of_exports}"])
    files = output.splitlines()
    assert len(files) >= 4
    assert all(line.endswith(": OK") for line in files)
    assert (folder / "manifest.json").exists()

    headers = {"Authorization": f"Bearer {site['TOKEN']}"}
    batches = requests.get(
        f"{site['TOUCHSTONE']}/api/v1/projects/my-corpus/batches/", headers=headers, timeout=30
    ).json()
    assert [batch["state"] for batch in batches["results"]] == ["closed"]
