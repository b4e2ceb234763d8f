"""The examples of the API's reference and recipes, which run unchanged against a live site."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import requests
from django.core.management import call_command

from tests.live_site import administrator_token, job_worker

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "schemes" / "qasrl" / "samples"
REFERENCE = ROOT / "docs" / "reference" / "api.md"
RECIPES = ROOT / "docs" / "how-to" / "api.md"


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def site(transactional_db, live_server, job_files, settings):
    """Run a site with a published dataset and a job worker.

    Yield the environment of a script with the administrator's token.
    """
    corpus, gold = str(SAMPLES / "sentences.csv"), SAMPLES / "expert.csv"
    call_command("create_project", "published", scheme="qasrl")
    call_command("import_corpus", "published", corpus, format="qasrl-csv", items=[gold])
    call_command("import_gold", "published", str(gold), format="qasrl-csv", source="imported")
    settings.WEBHOOK_HOSTS = ["hooks.example"]
    token = administrator_token()
    with job_worker():
        yield {"TOUCHSTONE": live_server.url, "TOKEN": token}


@pytest.fixture
def folder(tmp_path) -> Path:
    """Return a folder with the files that the examples upload."""
    folder = tmp_path / "work"
    folder.mkdir()
    for name in ("sentences.csv", "expert.csv"):
        shutil.copy(SAMPLES / name, folder)
    shutil.copy(SAMPLES / "expert.csv", folder / "parser.csv")
    return folder


@pytest.fixture
def run(site, folder):
    """Return a function that runs a program with the site's address, and returns its output."""
    environment = {**os.environ, **site}

    def output_of(command: list[str]) -> str:
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

    return output_of


needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="the examples require curl")


@pytest.mark.long
@needs_curl
def test_examples_work_as_described(site, folder, run):
    common, *of_corpus, of_exports = blocks(REFERENCE, "sh")
    of_corpus.insert(0, common)
    output = run(["bash", "-euo", "pipefail", "-c", "\n".join(of_corpus)])
    assert '"state":"finished"' in output
    assert '"is_affordable":true' in output
    assert '"state":"paused"' in output
    assert output.rstrip().endswith("}")

    output = run([sys.executable, "-c", "\n".join(blocks(REFERENCE, "python"))])
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


def assert_project_of_recipes(site: dict[str, str]) -> None:
    """Check what the recipes left behind."""
    headers = {"Authorization": f"Bearer {site['TOKEN']}"}

    def results(name: str) -> list:
        url = f"{site['TOUCHSTONE']}/api/v1/projects/my-corpus/{name}/"
        return requests.get(url, headers=headers, timeout=30).json()["results"]

    names = ("imports", "gold-imports", "batches", "exports", "releases", "system-evaluations")
    assert {name: len(results(name)) for name in names} == dict.fromkeys(names, 1) | {
        "imports": 2,
        "gold-imports": 2,
    }
    assert [row["state"] for row in results("imports")] == ["cancelled", "finished"]
    [delivery] = results(f"webhooks/{results('webhooks')[0]['id']}/deliveries")
    assert (delivery["event"], delivery["state"]) == ("ping", "pending")


@pytest.mark.long
@needs_curl
def test_recipes_work_with_curl(site, folder, run):
    output = run(["bash", "-euo", "pipefail", "-c", "\n".join(blocks(RECIPES, "sh"))])
    assert output.count(": OK") >= 4
    assert "0 new sentences, 0 bad rows\n" in output
    pages = [json.loads(line) for line in (folder / "gold.jsonl").read_text().splitlines()]
    rows = [row for page in pages for row in page["results"]]
    assert len(pages) > 1
    assert {row["source"] for row in rows} == {"expert", "imported"}
    assert all(row["sentence"]["tokens"] for row in rows)
    assert zipfile.is_zipfile(folder / "release.zip")
    assert (folder / "figures.csv").read_text("utf-8").count("\nparser,") == 1
    assert_project_of_recipes(site)


@pytest.mark.long
def test_recipes_work_in_python(site, folder, run):
    output = run([sys.executable, "-W", "error", "-c", "\n".join(blocks(RECIPES, "python"))])
    assert re.search(r"^\d+ items of imported$", output, re.MULTILINE)
    assert re.search(r"^expected: \d+ cents, at most: \d+ cents$", output, re.MULTILINE)
    assert "\n0 newer\n" in output
    assert "\n0 new sentences, 0 cents\n" in output
    assert (folder / "manifest.json").exists()
    [archive] = folder.glob("*.zip")
    assert zipfile.is_zipfile(archive)
    assert re.search(r"^parser \S+ 1\.0 ", output, re.MULTILINE)
    assert_project_of_recipes(site)


def test_recipes_are_the_same_for_both():
    sections = re.split(r"^## \d+\. ", RECIPES.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert len(sections) == 12
    assert [text.count("```sh\n") for text in sections] == [1] * 12
    # The recipe of webhooks has the receiver besides, which is a program of its own.
    assert [text.count("```python\n") for text in sections] == [*[1] * 10, 2, 1]
