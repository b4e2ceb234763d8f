"""System tests of both protocols, rehearsed on the same items and compared."""

import json
import subprocess
import sys

import pytest

from tests import environment

pytestmark = [pytest.mark.system, pytest.mark.long]

ITEMS = 10
PREPARE = """
import csv, pathlib
from django.conf import settings
from django.utils import timezone
from projects.domain.create_project import create_project
from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from consolidation.domain.gold.import_gold import import_gold
from schemes.qasrl.scheme import SCHEME
now = timezone.now()
with SCHEME.sample.gold[0].open(encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
keys = list(dict.fromkeys((row["qasrl_id"], row["verb_idx"]) for row in rows))[:ITEMS]
some = pathlib.Path(settings.VAR_DIR) / "some.csv"
with some.open("w", encoding="utf-8", newline="") as file:
    writer = csv.DictWriter(file, rows[0].keys())
    writer.writeheader()
    writer.writerows(row for row in rows if (row["qasrl_id"], row["verb_idx"]) in keys)
for slug in ("merged", "dense"):
    project = create_project(slug=slug, scheme="qasrl", pay_scheme="qasrl-2018", now=now)
    options = CorpusOptions(fmt="qasrl-csv", items=[some], strict=True)
    Import(project=project, options=options).run([SCHEME.sample.sentences])
    import_gold(project=project, paths=[some], fmt="qasrl-csv", source="expert", on_error=print, now=now)
""".replace("ITEMS", str(ITEMS))


def manage(env, *arguments):
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=environment.ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rehearse(env, slug, *options):
    return json.loads(
        manage(env, "rehearse", slug, "--workers", "7", "--skill", "0.9", "--json", *options)
    )


def test_both_protocols_compare_on_the_same_items(
    embedded_site, free_port, tmp_path, migrate, collected
):
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    migrate(env)
    manage(env, "shell", "-v0", "-c", PREPARE)
    merged = rehearse(env, "merged")
    dense = rehearse(env, "dense", "--protocol", "validation")
    assert (merged["protocol"], merged["items"]) == ("consolidation", ITEMS)
    assert (dense["protocol"], dense["items"]) == ("validation", ITEMS)
    # A generator and two validators work on each item that has questions.
    assert dense["hits"] <= 2 * ITEMS
    assert dense["assignments"] == ITEMS + 2 * (dense["hits"] - ITEMS)
    validations = dense["assignments"] - ITEMS
    assert dense["rewards_cents"] == 5 * ITEMS + 8 * validations
    assert dense["scores"]["UA"]["f1"] > 0.5

    comparison = json.loads(manage(env, "compare_protocols", "merged", "dense", "--json"))
    assert (comparison["items"], comparison["expert_items"]) == (ITEMS, ITEMS)
    first, second = comparison["projects"]
    assert first["cents"] == merged["total_cents"]
    assert second["cents"] == dense["total_cents"]
    assert second["expert"]["UA"]["tp"] == dense["scores"]["UA"]["tp"]
    # A single generator finds less than two generators, at a lower cost.
    assert first["expert"]["UA"]["recall"] > second["expert"]["UA"]["recall"]
    print(manage(env, "compare_protocols", "merged", "dense"))  # noqa: T201

    validators = json.loads(manage(env, "agreement", "dense", "--json"))["validators"]
    assert sum(validator["items"] for validator in validators) == validations
    assert all(
        validator["same_verdicts"] > 0.4 for validator in validators if validator["questions"] > 10
    )

    manage(env, "export_gold", "dense", "--format", "qasrl-bank", "--out", str(tmp_path / "gold"))
    manifest = json.loads((tmp_path / "gold" / "manifest.json").read_text("utf-8"))
    assert (manifest["source"], manifest["counts"]["items"]) == ("validated", ITEMS)
    assert manifest["counts"]["roles"] == dense["roles"]
