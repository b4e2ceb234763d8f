"""System tests of a requester's first half hour, over HTTP on a separate site.

The requester creates a project, uploads a corpus, starts a rehearsal and exports the gold.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from tests import environment

pytestmark = pytest.mark.system

VERBS = ["rejected", "visited", "praised", "sold"]
CORPUS = "\n".join(
    f"The old committee {verb} the famous house in spring {2000 + at} ."
    for at, verb in enumerate(VERBS)
)
FOUNDER = """
from django.contrib.auth import get_user_model
get_user_model().objects.create_superuser("fay", password="a long enough password")
"""
HOLD = """
import time
from rehearsal.domain.site import Site
with Site():
    print("up", flush=True)
    time.sleep(600)
"""
WITHIN = 240


BEGIN = """
from pathlib import Path
from django.utils import timezone
from projects.domain.create_project import create_project
from annotation.domain.import_corpus import CorpusOptions, Import
from rehearsal.domain.dry_run import start_rehearsal
now = timezone.now()
project = create_project(slug="spring", scheme="qasrl", pay_scheme="qasrl-2020", now=now)
Import(project=project, options=CorpusOptions(fmt="text", strict=True)).run([{path}])
start_rehearsal(project=project, actor="fay", now=now)
"""


def states(page: str) -> list[str]:
    """Return the state, with its reason, in each row of the page."""
    cells = re.findall(r'<span class="state state--.*?</td>', page, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in cells]


class Browser:
    """A requester's browser, which keeps cookies and sends the form's token."""

    def __init__(self, site: str) -> None:
        self.site, self.session = site, requests.Session()

    def get(self, path: str) -> str:
        answer = self.session.get(self.site + path, timeout=30)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.text

    def post(self, path: str, facts: dict[str, str], **files: object) -> str:
        """Submit the form of the page and return the path of the redirect."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(path))
        assert token
        answer = self.session.post(
            self.site + path,
            data={"csrfmiddlewaretoken": token[1], **facts},
            files=files or None,
            headers={"Referer": self.site + path},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text[:2000]
        return answer.url.removeprefix(self.site)

    def wait_for(self, path: str, words: str) -> str:
        end = time.monotonic() + WITHIN
        while words not in (page := self.get(path)):
            assert "state--failed" not in page, states(page)
            assert time.monotonic() < end, states(page)
            time.sleep(1)
        return page


@pytest.fixture
def site(embedded_site, free_port, migrate, collected):
    env = {
        **embedded_site,
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "SWEEP_SECONDS": "1",
        "LEASE_SECONDS": "10",
    }
    manage = [sys.executable, "manage.py"]
    migrate(env)
    founder = [*manage, "shell", "-v0", "-c", FOUNDER]
    subprocess.run(founder, cwd=environment.ROOT, env=env, check=True)
    process = subprocess.Popen(
        [*manage, "shell", "-v0", "-c", HOLD],
        cwd=environment.ROOT,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    yield env
    process.terminate()
    process.wait()
    process.stdout.close()


@pytest.mark.long
def test_gold_is_exported_without_a_command(site, tmp_path):
    browser = Browser(site["SITE_URL"])
    browser.post("/login/", {"login": "fay", "password": "a long enough password"})
    corpus = browser.post(
        "/projects/new/",
        {"title": "Spring", "slug": "", "scheme": "qasrl", "pay": "qasrl-2020", "cap": "100"},
    )
    assert corpus == "/projects/spring/corpus/"
    preview = browser.post(corpus, {"fmt": "text"}, corpus=("spring.txt", CORPUS.encode()))
    assert f"{len(VERBS)} of {len(VERBS)} sentences" in browser.get(preview)
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
