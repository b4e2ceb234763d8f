"""Run the site with the Prolific stand-in and a simulated campaign: `python -m tests.prolific.demo`.

The stand-in keeps all data in memory, so each run starts with new data.
"""

import argparse
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fakes.prolific import FakeProlific, NotEligibleError, Options, running_prolific

if TYPE_CHECKING:
    from projects.models import Project
    from tests.prolific.campaign import Person

ROOT = Path(__file__).resolve().parents[2]
SLUG = "demo-prolific"
REWARD_CENTS = 30
ITEMS, ITEMS_LEFT, PEOPLE = 12, 8, 6
# A person leaves after this number of tasks, so that the work is paid by bonus.
LEAVES_AFTER = 3
ACTIVE_SECONDS = 80
DELIVERY_SECONDS = 0.2
TIMEOUT_SECONDS = 400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prolific-port", type=int, default=8200)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--once", action="store_true", help="stop after the campaign")
    arguments = parser.parse_args()
    with _prolific(arguments.prolific_port) as server:
        _configure(server)
        import django

        django.setup()
        _run(server, items=arguments.items, exits=arguments.once)


@contextmanager
def _prolific(port: int) -> Iterator[FakeProlific]:
    """Run the stand-in on the machine's clock, and deliver its webhooks."""
    options = Options(has_links=True, bonus_delay=timedelta(seconds=5))
    stopping = threading.Event()

    def deliver(server: FakeProlific) -> None:
        while not stopping.wait(DELIVERY_SECONDS):
            server.deliver()

    with running_prolific(
        clock=lambda: datetime.now(UTC), options=options, port=port, balance=50_000
    ) as server:
        thread = threading.Thread(target=deliver, args=(server,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            stopping.set()
            thread.join()


def _configure(server: FakeProlific) -> None:
    """Set the environment of the site, with a separate data folder for this run."""
    folder = Path(os.environ.get("VAR_DIR", ROOT / "var")) / SLUG
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "MTURK_ENDPOINT_URL"):
        os.environ.pop(name, None)
    os.environ.setdefault("SITE_URL", "http://127.0.0.1:8000")
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DEMO": "true",
        "VAR_DIR": str(folder),
        "PROLIFIC_URL": server.url,
        "PROLIFIC_TOKEN": server.token,
        "PROLIFIC_COMPLETION_URL": f"{server.url}/submissions/complete",
        "PROLIFIC_WEBHOOKS": "true",
        "PROLIFIC_REQUESTS_PER_SECOND": "0",
        "STUDY_WAIT_MINUTES": "0",
    }


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _run(server: FakeProlific, *, items: int, exits: bool) -> None:
    from django.conf import settings
    from django.core.management import call_command

    from rehearsal.domain.site import Site

    _print("Preparing the database and a small project ...")
    call_command("migrate", verbosity=0)
    project = _prepare()
    _print(f"Starting the site on {settings.SITE_URL} ...")
    with Site(SWEEP_SECONDS="1"):
        _publish(project, items)
        _campaign(server, project, items)
        _report(server)
        if exits:
            return
        _publish(project, ITEMS_LEFT)
        _print(
            f"\nRequester: {settings.SITE_URL}/projects/{SLUG}/ (admin, demo-admin)\n"
            f"Studies: {settings.SITE_URL}/projects/{SLUG}/studies/\n"
            f"Participants: {server.url}/, where a study of {ITEMS_LEFT} more items is open\n"
            "Press Ctrl-C to stop."
        )
        _wait_for_signal()


def _prepare() -> "Project":
    """Create the project, its pay and the login, and check the account."""
    from django.contrib.auth import get_user_model

    from crowd.domain.provider.check_account import account_of, check_account
    from rehearsal.domain.demo import STAFF, sample_project, sample_schemes

    now = datetime.now(UTC)
    scheme, sample = sample_schemes()[0]
    title = f"Demo: {scheme.title} on Prolific"
    project = sample_project(SLUG, title, scheme, sample, now, provider="prolific")
    for terms in project.pay_scheme.values():
        terms["reward_cents"] = REWARD_CENTS
    project.has_simulated_work = True
    project.save()
    account = account_of("prolific")
    assert account
    assert check_account(account=account, now=now)
    login = STAFF[0]
    get_user_model().objects.create_superuser(login.name, password=login.password)
    return project


def _publish(project: "Project", count: int) -> None:
    from annotation.domain.publishing.publish import publish_batch

    publish_batch(project=project, limit=count, now=datetime.now(UTC))


def _campaign(server: FakeProlific, project: "Project", items: int) -> None:
    """Let participants work until every published item has gold and everything is paid."""
    from django.conf import settings

    from consolidation.domain.cases.queries import count_gold
    from crowd.domain.workers.register_worker import register_worker
    from rehearsal.domain.review import accept_held_bonuses
    from tests.prolific.campaign import Person, open_settlements
    from tests.prolific.pages import OverHttp

    answer = _answers(project)
    pages = OverHttp(settings.SITE_URL)
    people = [
        Person(server, answer, pages=pages, active_seconds=ACTIVE_SECONDS) for _ in range(PEOPLE)
    ]
    # Before they work, because quick work of people awaits a decision.
    now = datetime.now(UTC)
    for person in people:
        register_worker(provider="prolific", external_id=person.id, now=now, is_simulated=True)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    leavers = {people[0].id}
    last_line = ""
    while True:
        for person in people:
            _take_part(person, leavers)
        accept_held_bonuses(project=project, now=datetime.now(UTC))
        gold = count_gold(project=project).made
        paid, unpaid = _payments()
        line = f"{gold} of {items} items have gold, {paid} payments confirmed, {unpaid} open"
        if line != last_line:
            _print(line)
            last_line = line
        if gold == items and not unpaid and not open_settlements():
            return
        if time.monotonic() > deadline:
            sys.exit("The campaign did not finish. See the logs of the site.")
        time.sleep(1)


def _take_part(person: "Person", leavers: set[str]) -> None:
    """Do a session of the first study that the person sees, if any."""
    for study in person.studies():
        try:
            if person.id in leavers:
                leavers.discard(person.id)
                count = person.take_part(study, most=LEAVES_AFTER)
                person.participant.return_place()
                _print(f"{person.id} left after {count} tasks and returned the place")
            elif count := person.take_part(study):
                _print(f"{person.id} finished a session of {count} tasks")
        except NotEligibleError:
            continue
        return


def _answers(project: "Project") -> Callable[..., object]:
    """Return a function that annotates and consolidates like the sample's experts."""
    from rehearsal.domain.scenario import Scenario, references_of

    script = Scenario(project, references_of(project), skill=1.0, seed=1)

    def answer(task: object, item: dict[str, object]) -> object:
        if "sources" in item:
            return script.consolidation(item, worker="demo")
        return script.generation(item, worker="demo", assignment=f"{task}")

    return answer


def _payments() -> tuple[int, int]:
    """Return the numbers of confirmed and of open payments."""
    from crowd.models import Payment

    confirmed = Payment.objects.filter(state="confirmed").count()
    return confirmed, Payment.objects.exclude(state__in=["confirmed", "declined"]).count()


def _report(server: FakeProlific) -> None:
    """Compare the ledger with the wallet."""
    from crowd.models import StudySession
    from tests.prolific.campaign import ledger_cents, wallet_cents

    amounts, fees = ledger_cents()
    wallet = wallet_cents(server)
    _print(f"Sessions: {StudySession.objects.count()}")
    _print(f"Ledger: ${amounts / 100:.2f} to workers, ${fees / 100:.2f} fees and tax")
    _print(f"Wallet: ${wallet[0] / 100:.2f} to workers, ${wallet[1] / 100:.2f} fees and tax")
    if (amounts, fees) != wallet:
        sys.exit("The ledger differs from the wallet.")
    _print("The ledger equals the wallet.")


def _wait_for_signal() -> None:
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    stopped.wait()


if __name__ == "__main__":
    main()
