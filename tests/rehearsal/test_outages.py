"""System tests of campaigns during outages of PostgreSQL and Redis and with killed processes."""

import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from schemes.contract.scheme import Scheme
from schemes.contract.simulation import Sample
from schemes.registry import get_scheme
from tests.rehearsal.link import Link
from tests.rehearsal.test_replay import (
    DATA,
    Checkout,
    check_accounts,
    check_gold,
    kill_group,
    prepare,
    some_of,
)
from tests.rehearsal.test_site import HOLD
from tests.schemes.custom.sample_corpus import make_sample

pytestmark = pytest.mark.long

ITEMS = 240
# Of the samples of the other schemes.
COPIES = 6
KILLS, DATABASE_OUTAGES, REDIS_OUTAGES = 18, 4, 3
OUTAGE_SECONDS = 10.0


def link_to(url: str) -> tuple[Link, str]:
    """Return a link to the server of a URL, and the URL through the link."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    link = Link(parts.hostname, parts.port)
    return link, url.replace(f":{parts.port}", f":{link.port}", 1)


def linked(site: dict[str, str]) -> tuple[dict[str, str], list[Link | str]]:
    """Return the environment of a site whose connections can be cut, and the faults in their order.

    The simulated workers and the checks have separate connections, like outside users.
    """
    database, database_url = link_to(site["DATABASE_URL"])
    redis, redis_url = link_to(site["REDIS_URL"])
    linked_site = {
        **site,
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "SWEEP_SECONDS": "1",
    }
    faults: list[Link | str] = [database] * DATABASE_OUTAGES
    faults += [redis] * REDIS_OUTAGES
    faults += ["web", "worker"] * (KILLS // 2)
    random.Random(1).shuffle(faults)
    return linked_site, faults


@pytest.fixture
def hold_up(start_process, wait_for, tmp_path) -> Callable[[dict[str, str]], None]:
    """Return a function that starts a process which holds a site up."""

    def start(site: dict[str, str]) -> None:
        log = tmp_path / "holder"
        holder = [
            sys.executable,
            "manage.py",
            "shell",
            "-v",
            "0",
            "-c",
            HOLD.replace("600", "3000"),
        ]
        start_process(holder, env=site, log=log)
        wait_for(lambda: "up" in log.read_text(), seconds=180)

    return start


def finish_with_faults(
    checkout: Checkout, process: subprocess.Popen[str], faults: list[Link | str]
) -> dict:
    """Cut the connections and kill the processes in turn, and return the facts of the rehearsal."""
    pids = Path(checkout.env["VAR_DIR"]) / "run"
    for fault in faults:
        if isinstance(fault, Link):
            time.sleep(2)
            assert process.poll() is None, "the rehearsal ended before all outages"
            fault.cut()
            time.sleep(OUTAGE_SECONDS)
            fault.restore()
        else:
            kill_group(pids / f"{fault}.pid", after=3.0, process=process)
    out, err = process.communicate(timeout=1800)
    assert process.returncode == 0, f"{out}\n{err}\n{checkout.logs()}"
    return json.loads(out)


@pytest.mark.skipif(not DATA.exists(), reason="the published files are not here")
def test_campaign_survives_outages_and_kills_with_exact_accounts(
    server_site, free_port, tmp_path, hold_up
):
    site = {**server_site, "SITE_URL": f"http://127.0.0.1:{free_port}", "LEASE_SECONDS": "10"}
    checkout = Checkout(site)
    gold, sentences = some_of(
        DATA / "wikinews.dev.gold.csv", DATA / "wikinews.dev.full.csv", tmp_path, ITEMS
    )
    prepare(checkout, sentences, gold)
    linked_site, faults = linked(site)
    hold_up(linked_site)
    process = checkout.start(
        *("rehearse", "wikinews", "--replay", gold, "--workers", "6", "--json"),
        *("--url", site["SITE_URL"], "--patience", "300"),
    )
    facts = finish_with_faults(checkout, process, faults)
    check_accounts(checkout, facts, gold, ITEMS)
    check_gold(checkout, gold, tmp_path / "gold")


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of a scheme's sample, each with ids of its own."""

    sentences: Path
    gold: list[Path]
    images: Path | None


def copies_of(sample: Sample, folder: Path, count: int) -> Copies:
    folder.mkdir()
    images = None
    if sample.images:
        images = folder / "images"
        images.mkdir()
        sample.images(folder)
        for picture in folder.glob("*.png"):
            for number in range(count):
                (images / f"{number}-{picture.name}").hardlink_to(picture)

    def write(path: Path) -> Path:
        text = path.read_text(encoding="utf-8")
        copy = folder / path.name
        copy.write_text("".join(_renamed(text, number) for number in range(count)), "utf-8")
        return copy

    return Copies(write(sample.sentences), [write(path) for path in sample.gold], images)


def _renamed(text: str, number: int) -> str:
    """Prefix the ids of sentences and the names of pictures with a number."""
    text = re.sub(r'("(?:id|image)": ?")', rf"\g<1>{number}-", text)
    return re.sub(r"^(# sent_id = |#)(?=sample-)", rf"\g<1>{number}-", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", ["frames", "grounding", "custom"])
def test_campaign_of_each_scheme_is_exact_after_outages_and_kills(
    name, server_site, free_port, tmp_path, hold_up
):
    """A campaign with faults costs the same and has the same gold as one without."""
    scheme = get_scheme(name)
    site = {**server_site, "SITE_URL": f"http://127.0.0.1:{free_port}", "LEASE_SECONDS": "10"}
    checkout = Checkout(site)
    checkout.run("migrate", "-v", "0")
    sample = scheme.sample or make_sample(tmp_path)
    corpus = copies_of(sample, tmp_path / "corpus", COPIES)
    for slug in ("undisturbed", "disturbed"):
        import_sample(checkout, slug, replace(scheme, sample=sample), corpus)
    linked_site, faults = linked(site)
    hold_up(linked_site)

    options = ("--skill", "1", "--workers", "6", "--url", site["SITE_URL"])
    expected = checkout.facts("rehearse", "undisturbed", *options, timeout=1800)
    process = checkout.start("rehearse", "disturbed", *options, "--json", "--patience", "300")
    facts = finish_with_faults(checkout, process, faults)
    names = ("items", "hits", "assignments", "rewards_cents", "bonuses_cents", "fees_cents")
    assert {name: facts[name] for name in names} == {name: expected[name] for name in names}
    assert facts["scores"] == expected["scores"]
    books = json.loads(checkout.run("shell", "-v", "0", "-c", BOOKS_OF_PROJECTS))
    assert books["doubled"] == []
    total = facts["total_cents"]
    assert books["budgets"] == {
        f"project:{slug}": [0, total] for slug in ("disturbed", "undisturbed")
    }
    assert books["settled"] == books["their_books"] == 2 * total
    assert books["payments"] == {"confirmed": books["rewards"] + books["bonuses"]}


def import_sample(checkout: Checkout, slug: str, scheme: Scheme, corpus: Copies) -> None:
    sample = scheme.sample
    assert sample
    protocol = ("--protocol", sample.protocol) if sample.protocol else ()
    checkout.run("create_project", slug, "--scheme", scheme.name, *protocol)
    for fmt, path in sample.resources.values():
        checkout.run("import_lexicon", slug, path, "--format", fmt)
    images = ("--images", corpus.images) if corpus.images else ()
    options = ("--format", sample.format, "--partition", "dev", "--strict", *images)
    checkout.run("import_corpus", slug, corpus.sentences, *options, "--items", *corpus.gold)
    checkout.run("import_gold", slug, *corpus.gold, "--source", "expert")


BOOKS_OF_PROJECTS = """
import json
from django.conf import settings
from django.db.models import Count, F, Sum
from crowd.models import Budget, LedgerEntry, Payment
from marketplace.models import Assignment, Bonus, Hit, Requester
print(json.dumps({
    "budgets": {
        budget.key: [budget.reserved_cents, budget.spent_cents] for budget in Budget.objects.all()
    },
    "settled": LedgerEntry.objects.filter(kind="settle").aggregate(
        n=Sum(F("amount_cents") + F("fee_cents")))["n"],
    "their_books": int(settings.MARKETPLACE_OPENING_BALANCE * 100)
        - Requester.objects.get().balance_cents,
    "payments": dict(Payment.objects.values_list("state").annotate(n=Count("id"))),
    "rewards": Assignment.objects.filter(status="Approved").count(),
    "bonuses": Bonus.objects.count(),
    "doubled": [
        *Hit.objects.values("annotation").annotate(n=Count("id")).filter(n__gt=1),
        *Bonus.objects.values("assignment").annotate(n=Count("id")).filter(n__gt=1),
    ],
}, default=str))
"""
