"""The qualification rehearsed in processes of its own: the site, its workers, and simulated trainees."""

import json
import subprocess
import sys

import pytest

from tests import environment

pytestmark = pytest.mark.system

PREPARE = """
from django.utils import timezone
from annotation.domain.create_project import create_project
from annotation.domain.import_corpus import CorpusOptions, Import
from consolidation.domain.import_gold import import_gold
from rehearsal.domain.demo import SAMPLES
now = timezone.now()
project = create_project(slug="demo", scheme="qasrl", pay_scheme="qasrl-2020", now=now)
options = CorpusOptions(fmt="qasrl-csv", items_path=SAMPLES / "expert.csv", strict=True)
Import(project=project, options=options).run([SAMPLES / "sentences.csv"])
import_gold(project=project, path=SAMPLES / "expert.csv", fmt="qasrl-csv", source="expert",
            on_error=print, now=now)
"""


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


@pytest.fixture
def facts(embedded_site, free_port):
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    manage(env, "migrate", "-v0")
    manage(env, "shell", "-v0", "-c", PREPARE)
    return json.loads(manage(env, "rehearse", "demo", "--train", "8", "--json"))


def test_training_selects_the_skilled_and_pays_everybody(facts):
    first, second = facts["rounds"]
    by_state = {"passed": [], "declined": []}
    for one in facts["people"]:
        by_state[one["state"]].append(one["skill"])
    assert (first["invited"], first["finished"]) == (8, 8)
    assert first["passed"] + first["declined"] == 8
    assert second["invited"] == second["finished"] == first["passed"]
    assert len(facts["selected"]) == second["passed"] == len(by_state["passed"])
    assert min(by_state["passed"]) > max(by_state["declined"]) - 0.2
    assert facts["correlation"] > 0.8
    done = first["finished"] + second["finished"]
    assert facts["feedback_sent"] == facts["feedback_read"] == done
    assert facts["rewards_cents"] == done * 15 * 5
    assert facts["total_cents"] == first["cents"] + second["cents"]
