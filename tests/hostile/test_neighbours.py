"""An honest campaign on the same site as a hostile worker, requester, uploader and stranger."""

import json
import sys
import threading
import time

import pytest

from tests.environment import ROOT
from tests.hostile.parties import (
    Party,
    SilentServer,
    hostile_requester,
    hostile_uploader,
    hostile_worker,
    stranger,
)
from tests.rehearsal.test_replay import DATA, Checkout, rows_of, some_of
from tests.rehearsal.test_site import HOLD

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not DATA.exists(), reason="the published files are missing"),
]

EXAMPLES = [
    *(ROOT / "schemes" / "qasrl").glob("guidelines/*.md"),
    ROOT / "schemes/qasrl/practice.json",
]
ITEMS = 160
MAX_SLOWDOWN = 1.5  # the longest duration of the honest campaign as a multiple of its time alone

TOKEN_OF_EVIL = """
from django.contrib.auth import get_user_model
from django.utils import timezone
from projects.domain.api_tokens import issue_token
from projects.domain.create_project import create_project
from projects.enums import TokenScope
user = get_user_model().objects.create_user("evil")
create_project(slug="evil", scheme="qasrl", now=timezone.now(), owner=user)
print(issue_token(user=user, name="x", scopes=list(TokenScope), projects=None, expires_at=None,
                  now=timezone.now())[1])
"""
TASK = """
from annotation.models import Task
print(f"/generate/{Task.objects.filter(batch__project__slug='alone').first().public_id}/")
"""
TASKS = """
import json
from annotation.models import Task
from django.urls import reverse
pages = {"generator": "annotation:generate", "consolidator": "consolidation:consolidate"}
rows = Task.objects.filter(batch__project__slug="beside").order_by("-pk")
rows = [*rows.filter(hit__state="live")[:30], *rows.filter(role="consolidator")[:30]]
print(json.dumps([reverse(pages[task.role], args=[task.public_id]) for task in rows]))
"""
HEALTH = """
import json
from crowd.models import Budget, LedgerEntry
from jobs.models import SweepFailure
rows = {}
for slug in ("alone", "beside"):
    budget = Budget.objects.get(key=f"project:{slug}")
    rows[slug] = [budget.reserved_cents, budget.spent_cents]
print(json.dumps({"money": rows, "failures": SweepFailure.objects.count()}))
"""


def test_honest_campaign_has_equal_costs_and_a_similar_duration(
    either_site, free_port, tmp_path, start_process, wait_for
):
    silent = SilentServer()
    site = {
        **either_site,
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "SWEEP_SECONDS": "1",
        "MARKETPLACE_WEBHOOK_HOSTS": f"127.0.0.1:{silent.port}",
    }
    checkout = Checkout(site)
    gold, sentences = some_of(
        DATA / "wikinews.dev.gold.csv", DATA / "wikinews.dev.full.csv", tmp_path, ITEMS
    )
    checkout.run("migrate", "-v", "0")
    for slug in ("alone", "beside"):
        checkout.run("create_project", slug, "--scheme", "qasrl")
        options = ("--format", "qasrl-csv", "--items", gold, "--strict")
        checkout.run("import_corpus", slug, sentences, *options)
    token = checkout.run("shell", "-v", "0", "-c", TOKEN_OF_EVIL).strip()
    keys = checkout.facts("create_requester", "evil", "--balance", "100")
    log = tmp_path / "holder"
    holder = [sys.executable, "manage.py", "shell", "-v", "0", "-c", HOLD.replace("600", "3000")]
    start_process(holder, env=site, log=log)
    wait_for(lambda: "up" in log.read_text(), seconds=180)

    alone, alone_seconds = rehearse(checkout, "alone", gold)
    task = checkout.run("shell", "-v", "0", "-c", TASK).strip()
    stop = threading.Event()
    read: list[str] = []
    url = site["SITE_URL"]
    parties = {
        "worker": Party(hostile_worker(url, task), stop),
        "requester": Party(hostile_requester(url, keys, silent), stop),
        "uploader": Party(hostile_uploader(url, token), stop),
        "stranger": Party(stranger(url, lambda: addresses(checkout), read), stop),
    }
    for party in parties.values():
        party.start()
    time.sleep(5)
    beside, beside_seconds = rehearse(checkout, "beside", gold)
    stop.set()
    for party in parties.values():
        party.join(timeout=120)

    statuses = {name: dict(party.statuses) for name, party in parties.items()}
    print(f"alone {alone_seconds:.0f} s, beside {beside_seconds:.0f} s, {statuses}")  # noqa: T201
    assert all(sum(party.statuses.values()) > 20 for party in parties.values()), statuses
    assert {name: party.server_errors for name, party in parties.items()} == dict.fromkeys(
        parties, 0
    )
    names = ("items", "hits", "assignments", "rewards_cents", "bonuses_cents", "total_cents")
    assert {name: beside.get(name) for name in names} == {name: alone.get(name) for name in names}
    health = json.loads(checkout.run("shell", "-v", "0", "-c", HEALTH))
    assert health["money"]["beside"] == health["money"]["alone"]
    assert health["failures"] == 0
    # Guidelines and previews have examples of their own.
    examples = "".join(path.read_text() for path in EXAMPLES)
    secrets = {row["question"] for row in rows_of(gold) if row["question"] not in examples}
    assert len(secrets) > 50
    assert len(read) > 20
    assert [text for text in read for secret in secrets if secret in text] == []
    assert beside_seconds <= MAX_SLOWDOWN * alone_seconds


def addresses(checkout: Checkout) -> list[str]:
    """Return the paths of the newest open tasks of the campaign, and of its newest consolidations."""
    return json.loads(checkout.run("shell", "-v", "0", "-c", TASKS))


def rehearse(checkout: Checkout, slug: str, gold) -> tuple[dict, float]:
    """Run the campaign, and return its facts and its duration in seconds."""
    began = time.monotonic()
    options = ("--replay", gold, "--workers", "6", "--url", checkout.env["SITE_URL"])
    facts = checkout.facts("rehearse", slug, *options)
    return facts, time.monotonic() - began
