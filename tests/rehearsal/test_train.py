"""System tests of rehearsed training with a site, its workers and simulated trainees."""

import json
import subprocess
import sys

import pytest

from tests import environment

pytestmark = [pytest.mark.system, pytest.mark.long]

PREPARE = """
from django.utils import timezone
from projects.domain.create_project import create_project
from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from consolidation.domain.gold.import_gold import import_gold
from schemes.qasrl.scheme import SCHEME
now = timezone.now()
project = create_project(slug="demo", scheme="qasrl", pay_scheme="qasrl-2020", now=now)
options = CorpusOptions(fmt="qasrl-csv", items=SCHEME.sample.gold, strict=True)
Import(project=project, options=options).run([SCHEME.sample.sentences])
import_gold(project=project, paths=SCHEME.sample.gold, fmt="qasrl-csv", source="expert",
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


@pytest.fixture(params=[8, 30])
def trainees(request):
    return request.param


@pytest.fixture
def facts(embedded_site, free_port, migrate, collected, trainees):
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    migrate(env)
    manage(env, "shell", "-v0", "-c", PREPARE)
    return json.loads(manage(env, "rehearse", "demo", "--train", str(trainees), "--json"))


def test_training_selects_skilled_workers_and_pays_everyone(facts, trainees):
    first, second, merging = facts["rounds"]
    by_state = {"passed": [], "declined": []}
    for person in facts["people"]:
        by_state[person["state"]].append(person["skill"])
    assert (first["invited"], first["finished"]) == (trainees, trainees)
    assert first["passed"] + first["declined"] == trainees
    assert second["invited"] == second["finished"] == first["passed"]
    assert len(facts["selected"]) == second["passed"] == len(by_state["passed"])
    assert min(by_state["passed"]) > max(by_state["declined"]) - 0.2
    assert facts["correlation"] > 0.8
    # All trained generators are invited to consolidate, and some of them pass.
    assert merging["invited"] == merging["finished"] == second["passed"]
    assert len(facts["consolidators"]) == merging["passed"] > 0
    assert set(facts["consolidators"]) <= set(facts["selected"])
    done = first["finished"] + second["finished"]
    assert facts["feedback_sent"] == facts["feedback_read"] == done + merging["finished"]
    assert facts["rewards_cents"] == (done * 15 + merging["finished"] * 8) * 5
    assert facts["total_cents"] == sum(round_facts["cents"] for round_facts in facts["rounds"])


WORKERS = """
from annotation.models import Submission
made = Submission.objects.filter(item__in_production=True)
print(*made.order_by().values_list("worker__pseudonym", flat=True).distinct())
"""


@pytest.mark.timeout(900)
def test_trainees_who_passed_do_the_production(embedded_site, free_port, migrate, collected):
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    migrate(env)
    manage(env, "shell", "-v0", "-c", PREPARE)
    training = ("--train", "6", "--least-skill", "0.75")
    facts = json.loads(manage(env, "rehearse", "demo", *training, "--json"))
    manage(env, "rehearse", "demo", "--workers", "6", "--trained", "--json")
    at_work = manage(env, "shell", "-v0", "-c", WORKERS).split()
    assert sorted(at_work) == facts["selected"]
    assert 3 <= len(at_work) < 6
