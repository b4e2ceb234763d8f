"""Campaigns on Prolific with faults of every kind, in an order that a seed decides.

Calls are throttled, refused, or lost before or after their effect. Worker and web processes are
killed at a database statement. Participants leave, lose their redirect, finish without a code and
let time pass. Webhooks are repeated, reordered and dropped, and bonuses are late or lost. At the
end every item has gold, everybody was paid correctly, and the ledger equals the wallet.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random

import pytest
from django.test import Client

from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.compensate import pay_session
from consolidation.models import Gold
from crowd.domain.sessions.refuse_sessions import refuse_session, sessions_to_decide
from crowd.domain.sessions.settle_sessions import resolve_settlement
from crowd.models import Assignment, LedgerEntry, Payment, Settlement, Study, StudySession
from crowd.providers.registry import PROVIDERS
from projects.models import Project
from tests.crowd.test_killed_processes import LAST_STATEMENT, SuddenEnd, killed_in
from tests.crowd.test_ledger import balance, cached
from tests.fakes.prolific import FakeProlific, Fault, NotEligibleError
from tests.prolific.campaign import (
    DAY,
    SWEEPS,
    Campaign,
    Person,
    check_accounts,
    connect,
    label,
    ledger_cents,
    local,
    make_project,
    wallet_cents,
)

pytestmark = pytest.mark.django_db(transaction=True)

ITEMS = {f"s{number}": ("A sentence", "positive") for number in range(4)}
NOTHING = (
    "You submitted this session without submitting a task, and did not return the place when we asked. "
    "There is no work that we could accept."
)
STEPS = 60
PEOPLE = 6
KINDS = [Fault.THROTTLE, Fault.SERVER_ERROR, Fault.ERROR_AFTER, Fault.DROP_BEFORE, Fault.DROP_AFTER]


class FaultyCampaign(Campaign):
    """A campaign whose steps, faults and killed processes are decided by its seed."""

    def __init__(self, server: FakeProlific, seed: int) -> None:
        super().__init__(server, [Person(server, label) for _ in range(PEOPLE)], seed=seed)
        self.killed = 0
        self.sessions: dict[str, str] = {}  # of people who are working

    def run_steps(self) -> None:
        for _ in range(STEPS):
            self.clock.advance(minutes=self.dice.choice([1, 5, 20, 90]))
            self._set_faults()
            for act in self.dice.choices(
                [self._work, self._sweep_one, self._sweep_all, self._deliver, self._leave],
                weights=[4, 4, 3, 1, 1],
                k=3,
            ):
                act()
        self.server.faults.clear()

    def _set_faults(self) -> None:
        self.server.faults.clear()
        if self.dice.random() < 0.5:
            share = self.dice.choice([0.05, 0.2, 1.0])
            kind = self.dice.choice(KINDS)
            self.server.faults.add(kind, "*", "*", probability=share, times=8)
        if self.dice.random() < 0.02:
            self.server.lose_next_bonus()

    def _run_with_kills(self, work: Callable[[], object]) -> None:
        """Do the work, often in a process that is killed."""
        if self.dice.random() < 0.5:
            work()
            return
        number = int(LAST_STATEMENT ** self.dice.random())
        end = SuddenEnd(number, carried_out=self.dice.random() < 0.5)
        seed = self.dice.random()

        def reseeded() -> None:
            self.dice = Random(seed)
            PROVIDERS["prolific"]()._client._transport._session.close()  # type: ignore[attr-defined]
            work()

        self.killed += killed_in(reseeded, end)

    def _sweep_one(self) -> None:
        process = self.dice.choice(SWEEPS)
        self._run_with_kills(lambda: process(clock=self.clock))

    def _sweep_all(self) -> None:
        for process in SWEEPS:
            process(clock=self.clock)

    def _work(self) -> None:
        """Let a participant arrive, do a task, or finish."""
        person = self.dice.choice(self.people)
        session = self.sessions.get(person.id) or self._arrive(person)
        if session is None:
            return
        response = Client().get(f"{session}next/")
        if response.status_code != 302:  # over, or unavailable
            self.sessions.pop(person.id, None)
            return
        if response["Location"].startswith("/sessions/"):
            self._finish(person, session)
            return
        task = local(response["Location"])
        with suppress(AssertionError):  # a killed process, or a session that is over
            self._run_with_kills(lambda: person.work(task))

    def _arrive(self, person: Person) -> str | None:
        studies = list(person.studies())
        if not studies:
            return None
        with suppress(NotEligibleError):
            response = Client().get(local(person.participant.take(self.dice.choice(studies))))
            if response.status_code == 302:
                self.sessions[person.id] = response["Location"]
        return self.sessions.get(person.id)

    def _finish(self, person: Person, session: str) -> None:
        del self.sessions[person.id]
        with suppress(AssertionError, NotEligibleError):
            person.finish(session, loses_redirect=self.dice.random() < 0.3)

    def _leave(self) -> None:
        """Let a participant return the place, leave without a code, or disappear."""
        if not self.sessions:
            with suppress(NotEligibleError, IndexError):  # after submitting
                self.dice.choice(self.people).participant.return_place()
            return
        name = self.dice.choice(sorted(self.sessions))
        del self.sessions[name]
        person = next(person for person in self.people if person.id == name)
        leave = self.dice.choice(
            [person.participant.return_place, person.participant.leave_without_code, lambda: None]
        )
        with suppress(NotEligibleError):
            leave()

    def _deliver(self) -> None:
        self.server.deliver(
            send=send_event,
            repeats=self.dice.choice([1, 1, 3]),
            is_dropped=lambda event: self.dice.random() < 0.2,
        )

    def finish_all(self) -> None:
        """Let participants do the remaining work until everything is finished."""
        self.sessions.clear()
        for _ in range(3):
            self.sweep(minutes=DAY + 10, times=1)  # sessions of people who disappeared time out
            self.sweep(minutes=10, times=2)
        self.people += [Person(self.server, label) for _ in range(4)]
        self.run(rounds=40)
        while not self._is_settled():
            self.settle()
            self._resolve_unknown_payments()
            self._decide_empty_sessions()

    def _is_settled(self) -> bool:
        open_sessions = StudySession.objects.filter(state__in=["active", "finished", "submitted"])
        undecided = Assignment.objects.filter(state="submitted")
        unpaid = Payment.objects.exclude(state__in=["confirmed", "declined"])
        return not (open_sessions.exists() or undecided.exists() or unpaid.exists())

    def _decide_empty_sessions(self) -> None:
        """Pay or reject sessions without any task, as a requester would."""
        budget = Project.objects.get().budget
        for session in sessions_to_decide(budget=budget, now=self.clock()):
            if self.dice.random() < 0.5:
                pay_session(session=session, reason="Paid.", actor="ada", now=self.clock())
            else:
                refuse_session(session=session, reason=NOTHING, actor="ada", now=self.clock())

    def _resolve_unknown_payments(self) -> None:
        """Decide payments of unknown outcome by the wallet's movements, as a person would."""
        for row in Settlement.objects.filter(state="unknown").select_related("session"):
            bonuses = [
                movement.amount
                for movement in self.server.movements
                if (movement.submission, movement.kind) == (row.session.external_id, "bonus")
            ]
            was_paid = row.bonus_cents in bonuses[row.bonuses_before :]
            resolve_settlement(settlement=row, was_paid=was_paid, actor="ada", now=self.clock())


def send_event(address: str, body: bytes, headers: dict[str, str]) -> int:
    fields = {name: value for name, value in headers.items() if name != "Content-Type"}
    response = Client().post(local(address), body, content_type="application/json", headers=fields)
    return response.status_code


def check(campaign: FaultyCampaign, project: Project) -> None:
    server = campaign.server
    assert Gold.objects.filter(item__project=project).values("item").distinct().count() == len(
        ITEMS
    )
    assert not Settlement.objects.exclude(state="confirmed").exists()
    # Top-ups are declined if the worker returns the session after submitting it.
    unpaid = Payment.objects.exclude(state="confirmed")
    assert not unpaid.exclude(kind="top_up", state="declined").exists()
    # Each session was paid exactly once for its work, and the ledger agrees to the cent.
    paid_cents = Counter[str]()
    for movement in server.movements:
        paid_cents[movement.submission] += movement.amount
    due_cents = Counter[str]()
    payments = Payment.objects.exclude(state="declined")
    for payment in payments.select_related("assignment__session"):
        due_cents[payment.assignment.session.external_id] += payment.amount_cents
    assert due_cents == paid_cents
    assert ledger_cents() == wallet_cents(server)
    assert cached(project.budget) == balance(project.budget)
    # Nothing was published twice, and no work was lost or counted twice.
    published = [
        row.fields["internal_name"]
        for row in server.platform.studies.values()
        if row.status != "UNPUBLISHED"
    ]
    assert len(published) == len(set(published)) == Study.objects.exclude(external_id=None).count()
    assert Assignment.objects.filter(recorded_at=None).count() == 0
    assert LedgerEntry.objects.exists()
    ended = {"approved", "returned", "rejected"}
    assert set(StudySession.objects.values_list("state", flat=True)) <= ended


def run_campaign(server: FakeProlific, settings, tmp_path, seed: int) -> None:
    settings.PROLIFIC_WEBHOOKS = True
    provider = connect(server, attempts=2)
    PROVIDERS["prolific"] = lambda: provider
    check_accounts(server.clock)
    project = make_project(tmp_path, ITEMS)
    publish_batch(project=project, now=server.clock())
    campaign = FaultyCampaign(server, seed)
    campaign.run_steps()
    campaign.finish_all()
    check(campaign, project)


@pytest.mark.parametrize("seed", range(1))
def test_ledger_agrees_after_a_campaign_with_faults(server, settings, tmp_path, seed):
    run_campaign(server, settings, tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 200))
def test_ledger_agrees_after_any_campaign_with_faults(server, settings, tmp_path, seed):
    run_campaign(server, settings, tmp_path, seed)
