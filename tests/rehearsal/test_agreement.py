"""Tests of the agreement in a rehearsal, and of the figures on pages about its cost."""

import json

import pytest

from tests.rehearsal.test_validation import manage
from web.money import dollars

pytestmark = pytest.mark.system

ITEMS, SKILL = 40, 0.8
WORDS = (
    "a the old town council of b had rejected c the very long proposal here d "
    "after the last summer break e ."
)
PREPARE = """
import csv, pathlib
from django.conf import settings
from django.utils import timezone
from projects.domain.create_project import create_project
from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from consolidation.domain.gold.import_gold import import_gold
folder, now = pathlib.Path(settings.VAR_DIR), timezone.now()
QUESTIONS = [
    ("Who had rejected something?", "1:6"),
    ("What had someone rejected?", "10:15"),
    ("When had someone rejected something?", "16:21"),
]
def write(name, rows):
    with (folder / name).open("w", newline="") as file:
        csv.writer(file).writerows(rows)
texts = [WORDS.replace(" e ", f" e{at} ") for at in range(ITEMS)]
write(
    "sentences.csv",
    [("qasrl_id", "tokens", "sentence"), *((f"s{at}", one, one) for at, one in enumerate(texts))],
)
rows = [(f"s{at}", 8, "rejected", *each) for at in range(ITEMS) for each in QUESTIONS]
write("gold.csv", [("qasrl_id", "verb_idx", "verb", "question", "answer_range"), *rows])
project = create_project(slug="noisy", scheme="qasrl", pay_scheme="qasrl-2020", now=now)
options = CorpusOptions(fmt="qasrl-csv", items=[folder / "gold.csv"], strict=True)
Import(project=project, options=options).run([folder / "sentences.csv"])
path = folder / "gold.csv"
import_gold(project=project, paths=[path], fmt="qasrl-csv", source="expert", on_error=print, now=now)
""".replace("ITEMS", str(ITEMS)).replace("WORDS", repr(WORDS), 1)


@pytest.mark.long
def test_rehearsal_has_the_agreement_of_its_people(embedded_site, free_port):
    """Compare the agreement of a rehearsal with that of the same people without a site.

    They only differ by who works on which item.
    """
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    manage(env, "migrate", "-v0")
    manage(env, "shell", "-v0", "-c", PREPARE)
    crowd = ("--workers", "6", "--skill", str(SKILL), "--json")
    figures = json.loads(manage(env, "rehearsal_figures", "noisy", "--seeds", "1", *crowd))
    expected = {row["figure"]: row["mean"] / 100 for row in figures["figures"]}
    done = json.loads(manage(env, "rehearse", "noisy", *crowd))
    assert done["items"] == ITEMS
    workers = json.loads(manage(env, "agreement", "noisy", "--json"))["workers"]
    assert workers["items"] == ITEMS
    # Each worker has about 120 answers, so the standard error is 0.03 for UA and 0.05 for LA.
    assert workers["UA"]["f1"] == pytest.approx(expected["pair UA f1"], abs=0.09)
    assert workers["LA"]["f1"] == pytest.approx(expected["pair LA f1"], abs=0.12)
    low, high = workers["LA"]["interval"]
    assert low < workers["LA"]["f1"] < high
    assert workers["LA"]["f1"] < workers["UA"]["f1"] < 1
    scores = {key: done["scores"][key]["f1"] for key in ("UA", "LA")}
    assert scores["UA"] == pytest.approx(expected["gold UA f1"], abs=0.09)
    assert scores["LA"] == pytest.approx(expected["gold LA f1"], abs=0.12)
    check_cost_figures(env, done)
    finish_experiment(env)


# The figures of the pages and commands on the same state, with one more unpublished item.
COSTS = """
import io, json
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from annotation.domain.publishing.cost_model import item_cents, role_costs
from annotation.models import Item
from consolidation.domain.cases.queries import finished_costs
from projects.models import Project
project = Project.objects.get(slug="noisy")
done = [cost.total_cents for cost in finished_costs(project=project)]
item = Item.objects.filter(project=project).first()
item.pk, item.key = None, "one more"
item.save()
client = Client(HTTP_HOST="127.0.0.1")
client.force_login(get_user_model().objects.create_superuser("ada"))
pages = {
    name: client.get(f"/projects/noisy/{name}/").content.decode()
    for name in ("pay", "publish", "costs", "batches")
}
out = io.StringIO()
call_command("forecast", "noisy", "--json", stdout=out)
item.delete()
print(json.dumps({
    "expected": item_cents(role_costs(project=project), project=project),
    "actual": sum(done) / len(done),
    "forecast": json.loads(out.getvalue())["expected_cents"],
    "pages": pages,
}))
"""


def check_cost_figures(env, done):
    figures = json.loads(manage(env, "shell", "-v0", "-c", COSTS))
    mean = figures["actual"]
    assert figures["expected"] == pytest.approx(mean)
    assert done["cost_per_item_cents"] == pytest.approx(mean, abs=0.0051)
    # One item is still unpublished. Each role's cost is rounded to a cent.
    assert figures["forecast"] == pytest.approx(mean, abs=1)
    cost_text = dollars(mean)
    assert f"An item costs about {cost_text}" in figures["pages"]["pay"]
    assert cost_text in figures["pages"]["publish"].split("Expected per item, for all steps", 1)[1]
    assert cost_text in figures["pages"]["costs"]
    assert f"about <b>{dollars(figures['forecast'])}</b>" in figures["pages"]["batches"]
    assert "validator" not in figures["pages"]["pay"].split("<h2>Estimate</h2>", 1)[1]


def finish_experiment(env):
    """Complete the HITs of an agreement experiment in another rehearsal of the project."""
    manage(env, "agreement", "noisy", "--again", "3", "--generators", "1", "--json")
    assert open_hits(env) == 3
    manage(env, "rehearse", "noisy", "--workers", "4", "--skill", str(SKILL), "--json")
    assert open_hits(env) == 0


def open_hits(env) -> int:
    count = "from crowd.models import Hit; print(Hit.objects.open().count())"
    return int(manage(env, "shell", "-v0", "-c", count))
