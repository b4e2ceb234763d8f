"""System test of a campaign during outages of PostgreSQL and Redis and with killed processes."""

import json
import random
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

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

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not DATA.exists(), reason="the published files are not here"),
]

ITEMS = 240
KILLS, DATABASE_OUTAGES, REDIS_OUTAGES = 18, 4, 3
OUTAGE_SECONDS = 10.0


def link_to(url: str) -> tuple[Link, str]:
    """Return a link to the server of a URL, and the URL through the link."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    link = Link(parts.hostname, parts.port)
    return link, url.replace(f":{parts.port}", f":{link.port}", 1)


def test_campaign_survives_outages_and_kills_with_exact_accounts(
    server_site, free_port, tmp_path, start_process, wait_for
):
    # The simulated workers and the checks have separate connections, like outside users.
    site = {**server_site, "SITE_URL": f"http://127.0.0.1:{free_port}", "LEASE_SECONDS": "10"}
    checkout = Checkout(site)
    gold, sentences = some_of(
        DATA / "wikinews.dev.gold.csv", DATA / "wikinews.dev.full.csv", tmp_path, ITEMS
    )
    prepare(checkout, sentences, gold)
    database, database_url = link_to(site["DATABASE_URL"])
    redis, redis_url = link_to(site["REDIS_URL"])
    linked_site = {
        **site,
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "SWEEP_SECONDS": "1",
    }
    log = tmp_path / "holder"
    holder = [sys.executable, "manage.py", "shell", "-v", "0", "-c", HOLD.replace("600", "3000")]
    start_process(holder, env=linked_site, log=log)
    wait_for(lambda: "up" in log.read_text())

    process = checkout.start(
        *("rehearse", "wikinews", "--replay", gold, "--workers", "6", "--json"),
        *("--url", site["SITE_URL"], "--patience", "300"),
    )
    pids = Path(site["VAR_DIR"]) / "run"
    faults = [database] * DATABASE_OUTAGES + [redis] * REDIS_OUTAGES
    faults += ["web", "worker"] * (KILLS // 2)
    random.Random(1).shuffle(faults)
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
    check_accounts(checkout, json.loads(out), gold, ITEMS)
    check_gold(checkout, gold, tmp_path / "gold")
