"""A project at the Prolific stand-in, with simulated participants who use the real pages."""

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, urlsplit

from annotation.domain.work.compensate import book_approved_sessions
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Task
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.gold.kept_work import count_kept_work
from consolidation.domain.reviews.decide_waiting import decide_waiting_bonuses, decide_waiting_work
from consolidation.protocols import PROTOCOLS
from crowd.domain.hits import create_hits, manage_hits, sync_hits
from crowd.domain.money import send_payments
from crowd.domain.provider import check_account
from crowd.domain.sessions import publish_studies, refuse_sessions, sync_sessions
from crowd.domain.sessions import settle_sessions as settlements
from crowd.domain.sessions.session_links import deal_token_of
from crowd.domain.workers import block_worker, qualifications, write_messages
from crowd.models import Deal, Payment, Settlement, Study
from crowd.providers.prolific.client import ProlificClient
from crowd.providers.prolific.provider import Prolific
from projects.models import Project
from qualification.domain.training.evaluate import enrol_newcomers, evaluate_due
from schemes.contract.values import Json
from tests.fakes.prolific import FakeProlific, NotEligibleError
from tests.prolific.pages import InProcess, Pages, local
from tests.walk import run

PAGE_DATA = re.compile(r'<script id="page" type="application/json">(.*?)</script>', re.DOTALL)
COMPLETION = re.compile(r"/submissions/complete\?cc=(\w+)")
Answer = Callable[[Task, Json], Json]
# The key, text and label of each sentence.
LABELS = {f"s{number}": ("A sentence", "positive") for number in range(8)}
REWARD_CENTS = 30
DAY = 24 * 60


def make_project(
    folder: Path, labels: Mapping[str, tuple[str, str]], *, bonuses: str = "at-once"
) -> Project:
    """Return a project on Prolific with a corpus of labelled sentences, not published."""
    corpus = folder / "corpus.csv"
    with corpus.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "text", "label"))
        writer.writerows((key, text, label) for key, (text, label) in labels.items())
    options = ("--scheme", "labels", "--provider", "prolific", "--bonuses", bonuses)
    run("create_project", "moods", *options)
    run("import_corpus", "moods", corpus, "--format", "labels-csv")
    project = Project.objects.get(slug="moods")
    for terms in project.pay_scheme.values():
        terms["reward_cents"] = REWARD_CENTS
    project.save()
    return project


def label(task: Task, item: Json) -> Json:
    return {"label": "positive"}


def connect(server: FakeProlific, *, attempts: int = 3) -> Prolific:
    client = ProlificClient(
        token=server.token, url=server.url, attempts=attempts, sleep=lambda seconds: None
    )
    return Prolific(client, workspace=server.workspace.id, project=server.project.id)


SWEEPS: Sequence[Callable[..., object]] = (
    qualifications.send_due_grants,
    block_worker.send_due_blocks,
    create_hits.create_pending_hits,
    manage_hits.send_due_increases,
    manage_hits.send_due_ends,
    publish_studies.open_pending_hits,
    sync_sessions.list_due_studies,
    sync_sessions.sync_due_sessions,
    publish_studies.advance_studies,
    sync_hits.sync_due_hits,
    record_new_generations,
    open_due_cases,
    publish_open_cases,
    record_new_case_work,
    *(protocol.write_due_gold for protocol in PROTOCOLS.values()),
    count_kept_work,
    decide_waiting_work,
    decide_waiting_bonuses,
    enrol_newcomers,
    evaluate_due,
    send_payments.send_due_payments,
    send_payments.send_due_rejections,
    write_messages.send_due_messages,
    sync_sessions.approve_overdue,
    book_approved_sessions,
    refuse_sessions.request_returns,
    refuse_sessions.reject_sessions,
    settlements.plan_settlements,
    settlements.approve_sessions,
    settlements.pay_bonuses,
)


# The sweeps that decide and pay submitted work.
SETTLING: Sequence[Callable[..., object]] = (
    sync_sessions.list_due_studies,
    sync_sessions.sync_due_sessions,
    publish_studies.advance_studies,
    sync_hits.sync_due_hits,
    record_new_generations,
    record_new_case_work,
    decide_waiting_work,
    send_payments.send_due_payments,
    send_payments.send_due_rejections,
    sync_sessions.approve_overdue,
    book_approved_sessions,
    refuse_sessions.request_returns,
    refuse_sessions.reject_sessions,
    settlements.plan_settlements,
    settlements.approve_sessions,
    settlements.pay_bonuses,
)


def sweep(clock: Callable[[], object], sweeps: Sequence[Callable[..., object]] = SWEEPS) -> None:
    """Run each of the site's sweeps once."""
    for process in sweeps:
        process(clock=clock)
    send_payments.release_held_payments(now=clock())  # type: ignore[arg-type]


def check_accounts(clock: Callable[[], object]) -> None:
    check_account.check_accounts(clock=clock)  # type: ignore[arg-type]


class Person:
    """A participant with a browser that keeps no cookies."""

    def __init__(
        self,
        server: FakeProlific,
        answer: Answer,
        key: str = "",
        *,
        pages: Pages | None = None,
        active_seconds: int = 30,
    ) -> None:
        self.server = server
        self.participant = server.participant(key)
        self.answer = answer
        self.pages = pages or InProcess()
        self.active_seconds = active_seconds
        self.done: list[str] = []  # addresses of finished tasks

    @property
    def id(self) -> str:
        return self.participant.id

    def studies(self) -> Sequence[str]:
        return [study.id for study in self.participant.available_studies()]

    def arrive(self, study: str) -> str:
        """Take a place in the study, and return the address of the session's page."""
        response = self.pages.get(self.participant.take(study))
        assert response.status == 302, response.text
        return response.location

    def next_task(self, session: str) -> str | None:
        """Return the address of the session's next task, or None if there is none."""
        response = self.pages.get(f"{session}next/")
        assert response.status == 302, response.text
        return None if response.location.startswith("/sessions/") else local(response.location)

    def work(self, task: str) -> str:
        """Do the task, and return the address that follows."""
        response = self.pages.get(task)
        page = json.loads(PAGE_DATA.search(response.text)[1])  # type: ignore[index]
        row = Task.objects.get(public_id=urlsplit(task).path.rstrip("/").rsplit("/", 1)[-1])
        message = {
            "token": page["token"],
            "revision": page["revision"],
            "content": {str(item["id"]): self.answer(row, item) for item in page["items"]},
            "active_seconds": self.active_seconds,
        }
        saved = self.pages.post_json(page["urls"]["submit"], message)
        assert saved.status == 200, saved.text
        fields = {"assignmentId": page["assignment"], **json.loads(saved.text)["fields"]}
        response = self.pages.post(page["submitTo"], fields)
        assert response.status == 302, response.text
        self.done.append(task)
        return response.location

    def finish(self, session: str, *, loses_redirect: bool = False) -> None:
        """Leave the session. Enter the code from its last page, or return the place without one."""
        response = self.pages.post(f"{session}finish/")
        assert response.status == 200, response.text
        code = COMPLETION.search(response.text)
        if code is None:
            assert "Return your place" in response.text
            self.participant.return_place()
        elif not loses_redirect:
            self.participant.complete(code[1])

    def take_part(self, study: str, *, most: int | None = None, **options: bool) -> int:
        """Do a whole session, or leave after `most` tasks. Return the number of tasks."""
        response = self.pages.get(self.participant.take(study))
        if response.status == 409:  # another session waits for its review
            self.participant.return_place()
            return 0
        assert response.status == 302, response.text
        session = response.location
        count = 0
        while (most is None or count < most) and (task := self.next_task(session)):
            self.work(task)
            count += 1
        if count == 0:
            self.participant.return_place()
        elif most is None or count < most:
            self.finish(session, **options)
        return count


def submitted_deal(address: str) -> Deal:
    """Return the deal to which a task page's `submitTo` belongs."""
    token = urlsplit(address).path.rstrip("/").rsplit("/", 1)[-1]
    return Deal.objects.get(token=deal_token_of(token))


class Campaign:
    """Participants, the stand-in and the site's sweeps under one clock."""

    def __init__(self, server: FakeProlific, people: Sequence[Person], *, seed: int = 0) -> None:
        self.server = server
        self.people = list(people)
        self.clock = server.clock
        self.dice = Random(seed)

    def sweep(self, *, minutes: float = 1, times: int = 1) -> None:
        for _ in range(times):
            self.clock.advance(minutes=minutes)
            sweep(self.clock)

    def run(self, *, rounds: int = 30) -> None:
        """Let participants work until no study has been available for a while."""
        idle = 0
        for _ in range(rounds):
            self.sweep(minutes=2, times=2)
            worked = sum(self._run_session(person) for person in self.people)
            idle = 0 if worked else idle + 1
            if idle:
                self.sweep(minutes=70)  # incomplete sessions wait for further work
            if idle >= 3:
                return

    def _run_session(self, person: Person) -> int:
        studies = list(person.studies())
        if not studies:
            return 0
        try:
            return person.take_part(self.dice.choice(studies))
        except NotEligibleError:
            return 0

    def settle(self) -> None:
        """Let six days pass, so that all work is decided and paid."""
        self.sweep(minutes=5, times=2)
        for minutes in (5, 10, 60, DAY, 60, 5, 5, 5, 4 * DAY, 5, 5, 5):
            self.clock.advance(minutes=minutes)
            sweep(self.clock, SETTLING)
        self.sweep(minutes=5)


def ledger_cents() -> tuple[int, int]:
    """Return the amounts and fees of the confirmed payments."""
    rows = Payment.objects.filter(state="confirmed").values_list("amount_cents", "fee_cents")
    return sum(amount for amount, _ in rows), sum(fee for _, fee in rows)


def wallet_cents(server: FakeProlific) -> tuple[int, int]:
    """Return the amounts and fees, with tax, that left the stand-in's wallet."""
    rows = server.movements
    return sum(row.amount for row in rows), sum(row.fee + row.vat for row in rows)


def query_of(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def open_settlements() -> int:
    return Settlement.objects.exclude(state="confirmed").count()


def live_study() -> Study:
    return Study.objects.get()
