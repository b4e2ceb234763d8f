"""A rehearsal whose workers err with a known probability, and the agreement that this implies."""

import json

import pytest

from tests.rehearsal.test_validation import manage

pytestmark = pytest.mark.system

ITEMS, SKILL = 40, 0.8
# Five words an answer, with room around: an answer with another end still matches.
WORDS = (
    "a the old town council of b had rejected c the very long proposal here d "
    "after the last summer break e ."
)
PREPARE = """
import csv, pathlib
from django.conf import settings
from django.utils import timezone
from projects.domain.create_project import create_project
from annotation.domain.import_corpus import CorpusOptions, Import
from consolidation.domain.import_gold import import_gold
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


def test_rehearsal_with_known_noise_agrees_as_far_as_the_noise_implies(embedded_site, free_port):
    """Each of two workers keeps a question with probability s: s*s are with both, 2*s*(1-s) with one of
    them, so UA F1 = 2*s*s / (2*s*s + 2*s*(1-s)) = s. A question that both kept has another role with
    probability 1-s on either side, always the same one: LA F1 = s * (s*s + (1-s)*(1-s))."""
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    manage(env, "migrate", "-v0")
    manage(env, "shell", "-v0", "-c", PREPARE)
    done = json.loads(
        manage(env, "rehearse", "noisy", "--workers", "4", "--skill", str(SKILL), "--json")
    )
    assert done["items"] == ITEMS
    workers = json.loads(manage(env, "agreement", "noisy", "--json"))["workers"]
    ua, la = SKILL, SKILL * (SKILL**2 + (1 - SKILL) ** 2)
    assert workers["items"] == ITEMS
    # 120 questions a side: a standard error of three hundredths for UA, of five for LA. The seed gives
    # the same annotations each time.
    assert workers["UA"]["f1"] == pytest.approx(ua, abs=0.09)
    assert workers["LA"]["f1"] == pytest.approx(la, abs=0.12)
    low, high = workers["LA"]["interval"]
    assert low < workers["LA"]["f1"] < high < ua
