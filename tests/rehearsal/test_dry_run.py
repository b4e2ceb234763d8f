"""System tests of a requester's first half hour, over HTTP on a separate site.

The requester creates a project, uploads a corpus, starts a rehearsal and exports the gold.
"""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import environment
from tests.rehearsal.site_browser import SiteBrowser as Browser

pytestmark = pytest.mark.system

VERBS = ["rejected", "visited", "praised", "sold"]
CORPUS = "\n".join(
    f"The old committee {verb} the famous house in spring {2000 + at} ."
    for at, verb in enumerate(VERBS)
)
BEGIN = """
from pathlib import Path
from django.utils import timezone
from projects.domain.create_project import create_project
from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from rehearsal.domain.dry_run import start_rehearsal
now = timezone.now()
project = create_project(slug="spring", scheme="qasrl", pay_scheme="qasrl-2020", now=now)
Import(project=project, options=CorpusOptions(fmt="text", strict=True)).run([{path}])
start_rehearsal(project=project, actor="fay", now=now)
"""


@pytest.mark.long
def test_gold_is_exported_without_a_command(site, tmp_path):
    browser = Browser(site["SITE_URL"])
    browser.post("/login/", {"login": "fay", "password": "a long enough password"})
    corpus = browser.post(
        "/projects/new/",
        {"title": "Spring", "slug": "", "scheme": "qasrl", "cap": "100"},
    )
    assert corpus == "/projects/spring/corpus/"
    preview = browser.post(corpus, {"fmt": "text"}, corpus=("spring.txt", CORPUS.encode()))
    browser.wait_for(preview, f"{len(VERBS)} of {len(VERBS)} sentences")
    browser.post(preview, {})
    browser.wait_for(corpus, "state--finished")
    browser.post("/projects/spring/dry-run/", {})
    page = browser.wait_for("/projects/spring/dry-run/", "state--finished")
    copy = re.search(r'href="/projects/(spring-rehearsal[^/]+)/"', page)
    assert copy
    out = tmp_path / "gold"
    done = subprocess.run(
        [
            *(sys.executable, "manage.py", "export_gold", copy[1]),
            *("--format", "qasrl-csv", "--out", str(out), "--json"),
        ],
        cwd=environment.ROOT,
        env=site,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["counts"]["items"] == len(VERBS)
    assert manifest["counts"]["roles"] >= len(VERBS)
    assert manifest["simulated"] is True
    assert "Simulated data." in browser.get(f"/projects/{copy[1]}/")
    assert "Simulated data." not in browser.get("/projects/spring/")


@pytest.mark.long
def test_rehearsal_survives_the_end_of_its_process(site, tmp_path):
    corpus = tmp_path / "spring.txt"
    corpus.write_text(CORPUS)
    manage = [sys.executable, "manage.py"]
    begin = BEGIN.format(path=f"Path({str(corpus)!r})")
    subprocess.run(
        [*manage, "shell", "-v0", "-c", begin], cwd=environment.ROOT, env=site, check=True
    )
    browser = Browser(site["SITE_URL"])
    browser.post("/login/", {"login": "fay", "password": "a long enough password"})
    browser.wait_for("/projects/spring/dry-run/", "state--running")
    worker = int((Path(site["VAR_DIR"]) / "run" / "worker.pid").read_text())
    os.killpg(worker, signal.SIGKILL)
    page = browser.wait_for("/projects/spring/dry-run/", "state--finished")
    assert f"{len(VERBS)} of {len(VERBS)}" in page
    attempts = "from jobs.models import Job; print(Job.objects.get().attempts)"
    result = subprocess.run(
        [*manage, "shell", "-v0", "-c", attempts],
        cwd=environment.ROOT,
        env=site,
        check=True,
        capture_output=True,
        text=True,
    )
    assert result.stdout.strip() == "2"
