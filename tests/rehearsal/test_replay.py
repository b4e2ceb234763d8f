"""System tests of a whole campaign in separate processes, from sentences to paid gold.

The tests import the published Wikinews dev set, replay its annotators in a rehearsal, export the
gold and compare it with the published set. They run on SQLite with the file-system queue, and on
PostgreSQL with Redis.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "qasrl-gs"
pytestmark = [
    pytest.mark.system,
    pytest.mark.long,
    pytest.mark.skipif(not DATA.exists(), reason="the published files are not here"),
]


@dataclass
class Checkout:
    """A runner of this checkout's commands in a separate environment."""

    env: dict[str, str]

    def start(self, *command: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "manage.py", *map(str, command)],
            cwd=ROOT,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: object, timeout: float = 600) -> str:
        process = self.start(*command)
        out, err = process.communicate(timeout=timeout)
        assert process.returncode == 0, f"{command}\n{out}\n{err}\n{self.logs()}"
        return out

    def facts(self, *command: object, timeout: float = 600):
        return json.loads(self.run(*command, "--json", timeout=timeout))

    def logs(self) -> str:
        folder = Path(self.env["VAR_DIR"]) / "log"
        return "\n".join(path.read_text()[-3000:] for path in folder.glob("*.log"))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def some_of(gold: Path, sentences: Path, folder: Path, predicates: int) -> tuple[Path, Path]:
    """Write the first predicates of the published files to new files of the same format."""
    rows = rows_of(gold)
    kept = list(dict.fromkeys((row["qasrl_id"], row["verb_idx"]) for row in rows))[:predicates]
    chosen = [row for row in rows if (row["qasrl_id"], row["verb_idx"]) in set(kept)]
    ids = {sentence for sentence, _ in kept}
    return (
        write(folder / "some.gold.csv", chosen),
        write(folder / "some.csv", [row for row in rows_of(sentences) if row["qasrl_id"] in ids]),
    )


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


# The number of questions per predicate for which no consolidator is paid.
# They differ in one word from other questions of their author.
UNSOUND = {("Wiki1k:wikinews:516949:3:2", "2"): 2}


def expected_cents(gold: Path) -> dict[str, int]:
    """Return the expected cost of the campaign, computed only from the file and the pay scheme.

    A generator gets 5 cents, and 5, 6, 7 ... cents for each question after the second. The
    consolidator gets 5 cents, and 3 cents for each valid question that is judged. The fee is a
    fifth, rounded half up, and at least a cent per payment.
    """
    by_predicate: dict[tuple[str, str], dict[str, set[str]]] = {}
    for row in rows_of(gold):
        source = row["source_assign_id"].removeprefix("Some(").removesuffix(")")
        writers = by_predicate.setdefault((row["qasrl_id"], row["verb_idx"]), {})
        writers.setdefault(source, set()).add(row["question"].casefold())

    def fee(cents: int) -> int:
        return max(1, (cents * 2 + 5) // 10) if cents else 0

    rewards = bonuses = fees = 0
    for predicate, writers in by_predicate.items():
        judged_questions = sum(len(questions) for questions in writers.values())
        judged_questions -= UNSOUND.get(predicate, 0)
        generator_bonuses = [
            sum(range(5, 5 + max(0, len(questions_of_writer) - 2)))
            for questions_of_writer in writers.values()
        ]
        for bonus in [*generator_bonuses, 3 * judged_questions]:
            bonuses += bonus
            fees += fee(bonus)
        rewards += 3 * 5
        fees += 3 * fee(5)
    return {"rewards_cents": rewards, "bonuses_cents": bonuses, "fees_cents": fees}


def prepare(checkout: Checkout, sentences: Path, gold: Path) -> None:
    checkout.run("migrate", "-v", "0")
    checkout.run("create_project", "wikinews", "--scheme", "qasrl")
    options = ("--items", gold, "--domain", "wikinews", "--partition", "dev", "--strict")
    checkout.run("import_corpus", "wikinews", sentences, "--format", "qasrl-csv", *options)


def check_gold(checkout: Checkout, gold: Path, folder: Path) -> None:
    """Check that the export equals the published file in questions, spans, slots and sources."""
    checkout.run("export_gold", "wikinews", "--format", "qasrl-csv", "--out", folder)
    exported = rows_of(folder / "wikinews.dev.gold.csv")
    assert list(exported[0]) == list(rows_of(gold)[0])
    assert spans_of(exported) == spans_of(rows_of(gold))
    scores = checkout.facts("evaluate", "qasrl", gold, folder / "wikinews.dev.gold.csv")
    assert (scores["UA"]["f1"], scores["LA"]["f1"], scores["ignored_predicates"]) == (1.0, 1.0, 0)


def spans_of(rows: list[dict[str, str]]) -> Counter[tuple[str, ...]]:
    """Count the answer spans with their questions, regardless of their rows.

    A finished question starts with a capital, which a dozen of the published questions don't.
    """
    return Counter(
        (row["qasrl_id"], row["verb_idx"], row["question"].casefold(), span)
        for row in rows
        for span in row["answer_range"].split("~!~")
    )


def check_accounts(checkout: Checkout, facts: dict[str, object], gold: Path, items: int) -> None:
    expected = expected_cents(gold)
    assert {name: facts[name] for name in expected} == expected
    assert facts["total_cents"] == sum(expected.values())
    # Each item has a HIT for both generators and one for the consolidator, with three assignments.
    assert (facts["items"], facts["hits"], facts["assignments"]) == (items, 2 * items, 3 * items)
    ledger = json.loads(checkout.run("shell", "-v", "0", "-c", BOOKS))
    assert ledger["doubled"] == []
    assert ledger["reserved"] == 0
    assert ledger["spent"] == ledger["settled"] == ledger["their_books"] == facts["total_cents"]
    assert ledger["payments"] == {"confirmed": ledger["rewards"] + ledger["bonuses"]}
    assert ledger["rewards"] == 3 * items


BOOKS = """
import json
from collections import Counter
from django.conf import settings
from django.db.models import Count, F, Sum
from crowd.models import Budget, LedgerEntry, Payment
from marketplace.models import Assignment, Bonus, Hit, Requester
budget = Budget.objects.get()
print(json.dumps({
    "reserved": budget.reserved_cents,
    "spent": budget.spent_cents,
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


def replay_whole_set(checkout: Checkout, tmp_path: Path) -> None:
    gold = DATA / "wikinews.dev.gold.csv"
    prepare(checkout, DATA / "wikinews.dev.full.csv", gold)
    facts = checkout.facts(
        *("rehearse", "wikinews", "--replay", gold, "--workers", "8"), timeout=1800
    )
    assert (facts["roles"], facts["arguments"]) == (3713, 4315)
    # Bonuses for honest work are rarely held.
    assert facts["held_bonuses"] < 0.02 * facts["assignments"]
    assert facts["scores"]["UA"]["f1"] == facts["scores"]["LA"]["f1"] == 1.0
    check_accounts(checkout, facts, gold, 1264)
    check_gold(checkout, gold, tmp_path / "gold")


def test_part_of_the_published_set_is_reproduced(server_site, free_port, tmp_path):
    items = 60
    gold, sentences = some_of(
        DATA / "wikinews.dev.gold.csv", DATA / "wikinews.dev.full.csv", tmp_path, items
    )
    checkout = Checkout({**server_site, "SITE_URL": f"http://127.0.0.1:{free_port}"})
    prepare(checkout, sentences, gold)
    facts = checkout.facts("rehearse", "wikinews", "--replay", gold, "--workers", "8", timeout=900)
    assert facts["scores"]["UA"]["f1"] == facts["scores"]["LA"]["f1"] == 1.0
    check_accounts(checkout, facts, gold, items)
    check_gold(checkout, gold, tmp_path / "gold")


def test_whole_published_set_is_reproduced(server_site, free_port, tmp_path):
    site = {**server_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    replay_whole_set(Checkout(site), tmp_path)


def test_whole_published_set_is_reproduced_without_servers(embedded_site, free_port, tmp_path):
    site = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    replay_whole_set(Checkout(site), tmp_path)


def test_killed_processes_neither_repeat_nor_lose_work(server_site, free_port, tmp_path):
    site = {**server_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    replay_with_kills(Checkout(site), tmp_path)


def test_killed_processes_do_not_repeat_work_without_servers(embedded_site, free_port, tmp_path):
    site = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    replay_with_kills(Checkout(site), tmp_path)


def replay_with_kills(checkout: Checkout, tmp_path: Path) -> None:
    items = 60
    checkout.env["LEASE_SECONDS"] = "10"
    gold, sentences = some_of(
        DATA / "wikinews.dev.gold.csv", DATA / "wikinews.dev.full.csv", tmp_path, items
    )
    prepare(checkout, sentences, gold)
    process = checkout.start("rehearse", "wikinews", "--replay", gold, "--workers", "6", "--json")
    pids = Path(checkout.env["VAR_DIR"]) / "run"
    for name in ("worker", "web", "worker", "web"):
        kill_group(pids / f"{name}.pid", after=4.0, process=process)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, f"{out}\n{err}\n{checkout.logs()}"
    check_accounts(checkout, json.loads(out), gold, items)
    check_gold(checkout, gold, tmp_path / "gold")


def kill_group(pid_file: Path, *, after: float, process: subprocess.Popen[str]) -> None:
    """Kill the process and its children with SIGKILL, some seconds after each (re)start."""
    end = time.monotonic() + 60
    while not pid_file.exists() and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(after)
    assert process.poll() is None, "the rehearsal ended before anything was killed"
    os.killpg(int(pid_file.read_text()), signal.SIGKILL)
