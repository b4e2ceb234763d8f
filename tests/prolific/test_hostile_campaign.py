"""A campaign with participants who try to be paid for less than their work, among honest ones.

They leave early, pass the completion code on, return places before and after submitting them, let time
pass, never open the study, work on two devices at once, ask for a second place, and come back after the
end. Everybody is paid what is owed: their work, or the one reward of an approved session. The ledger
equals the wallet, and every place is accounted for.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.test import Client

from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.compensate import pay_session
from consolidation.models import Gold
from crowd.domain.sessions.refuse_sessions import refuse_session, sessions_to_decide
from crowd.models import Assignment, Deal, Payment, Settlement, Study, StudySession
from projects.models import Project
from tests.crowd.test_ledger import balance, cached
from tests.fakes.prolific import FakeProlific, NotEligibleError
from tests.prolific.campaign import (
    COMPLETION,
    DAY,
    Campaign,
    Person,
    label,
    ledger_cents,
    local,
    make_project,
    wallet_cents,
)

ITEMS = {f"s{number}": ("A sentence", "positive") for number in range(16)}
NOTHING = (
    "You submitted this session without submitting a task, and did not return the place when we asked. "
    "There is no work that we could accept."
)
OVER = {"APPROVED", "REJECTED", "RETURNED", "TIMED-OUT"}


class HostileCampaign(Campaign):
    """A campaign whose dice decide who does what."""

    def __init__(self, server: FakeProlific, project: Project, seed: int) -> None:
        super().__init__(server, [Person(server, label) for _ in range(3)], seed=seed)
        self.project = project
        self.tricks: list[Callable[[Person, str], None]] = [
            self._leave_early,
            self._pass_the_code_on,
            self._return_in_the_middle,
            self._return_after_handing_in,
            self._let_time_pass,
            self._never_open,
            self._decline,
            self._work_on_two_devices,
            self._ask_for_a_second_place,
            self._come_back,
        ]
        self.used: set[str] = set()

    def run_tricks(self) -> None:
        self.dice.shuffle(self.tricks)
        for trick in self.tricks:
            self.sweep(minutes=self.dice.choice([2, 10, 40]), times=2)
            if self.dice.random() < 0.1:
                self._run_session(self.dice.choice(self.people))
            person = Person(self.server, label)
            for study in person.studies()[:1]:
                with suppress(NotEligibleError):
                    trick(person, study)
                    self.used.add(trick.__name__)

    def _do(self, person: Person, session: str, most: int) -> int:
        count = 0
        while count < most and (task := person.next_task(session)):
            person.work(task)
            count += 1
        return count

    def _leave_early(self, person: Person, study: str) -> None:
        session = person.arrive(study)
        self._do(person, session, 1)
        response = person.pages.post(f"{session}finish/")
        if code := COMPLETION.search(response.text):  # no task was left
            person.participant.complete(code[1])
        elif self.dice.random() < 0.5:
            person.participant.return_place()

    def _pass_the_code_on(self, person: Person, study: str) -> None:
        self._do(person, person.arrive(study), 1)
        person.participant.complete(Study.objects.get(external_id=study).completion_code)

    def _return_in_the_middle(self, person: Person, study: str) -> None:
        self._do(person, person.arrive(study), self.dice.choice([0, 1, 3]))
        person.participant.return_place()

    def _return_after_handing_in(self, person: Person, study: str) -> None:
        person.take_part(study)
        if self.dice.random() < 0.5:
            self.sweep(minutes=1)
        person.participant.return_place()

    def _let_time_pass(self, person: Person, study: str) -> None:
        self._do(person, person.arrive(study), 2)

    def _never_open(self, person: Person, study: str) -> None:
        person.participant.take(study)
        if self.dice.random() < 0.7:
            person.participant.leave_without_code()

    def _decline(self, person: Person, study: str) -> None:
        session = person.arrive(study)
        code = COMPLETION.search(person.pages.post(f"{session}decline/").text)
        assert code
        person.participant.complete(code[1])
        if self.dice.random() < 0.5:
            person.participant.return_place()

    def _work_on_two_devices(self, person: Person, study: str) -> None:
        address = local(person.participant.take(study))
        first, second = (Client().get(address)["Location"] for _ in range(2))
        while (task := person.next_task(first)) and task.split("?")[0] == (
            person.next_task(second) or ""
        ).split("?")[0]:
            person.work(task)
            with suppress(AssertionError):  # the same task once more
                person.work(task)
        person.finish(first)
        person.pages.post(f"{second}finish/")

    def _ask_for_a_second_place(self, person: Person, study: str) -> None:
        session = person.arrive(study)
        self._do(person, session, 9)
        person.finish(session)
        with suppress(NotEligibleError, IndexError):
            address = local(person.participant.take(person.studies()[0]))
            assert Client().get(address).status_code == 409
            if self.dice.random() < 0.5:
                person.participant.return_place()

    def _come_back(self, person: Person, study: str) -> None:
        session = person.arrive(study)
        task = person.next_task(session)
        person.participant.return_place()
        self.sweep(minutes=15, times=2)
        assert person.pages.get(session).status == 410
        if task:
            with suppress(AssertionError):
                person.work(task)

    def finish_all(self) -> None:
        """Let honest newcomers do the rest, and decide what needs a person."""
        for _ in range(2):
            self.sweep(minutes=DAY + 10)
            self.sweep(minutes=10, times=2)
        self.people = [Person(self.server, label) for _ in range(4)]
        self.run(rounds=30)
        for _ in range(6):
            self.settle()
            self._decide()
            if not StudySession.objects.exclude(state__in=["approved", "returned", "rejected"]):
                break

    def _decide(self) -> None:
        for session in sessions_to_decide(budget=self.project.budget, now=self.clock()):
            if session.declined_at is None and self.dice.random() < 0.5:
                pay_session(session=session, reason="Paid.", actor="ada", now=self.clock())
            else:
                refuse_session(session=session, reason=NOTHING, actor="ada", now=self.clock())


def owed_cents(session: StudySession) -> int:
    """Return what the session's worker must have received, by the state in which it ended."""
    payments = Payment.objects.filter(assignment__session=session).exclude(kind="top_up")
    assert not payments.exclude(state="confirmed").exists()
    work = sum(row.amount_cents + row.covered_cents for row in payments)
    if session.state == "approved":
        return max(session.study.reward_cents, work)
    return 0 if session.state == "rejected" else work


def check(campaign: HostileCampaign) -> None:
    server, project = campaign.server, campaign.project
    gold = Gold.objects.filter(item__project=project)
    assert gold.values("item").distinct().count() == len(ITEMS)
    paid, approved = Counter[str](), Counter[str]()
    for movement in server.movements:
        paid[movement.submission] += movement.amount
        approved[movement.submission] += movement.kind == "reward"
    sessions = list(StudySession.objects.select_related("study", "worker"))
    assert {row.external_id: owed_cents(row) for row in sessions if owed_cents(row)} == dict(paid)
    assert max(approved.values()) == 1
    for session in sessions:
        done = Assignment.objects.filter(session=session, hit__compensation=None).count()
        assert done == Deal.objects.filter(session=session, state="done").count()
        pay = session.study.hit_type.reward_cents
        assert paid[session.external_id] <= done * pay + session.study.reward_cents
    assert ledger_cents() == wallet_cents(server)
    assert cached(project.budget) == balance(project.budget)
    assert not Settlement.objects.exclude(state="confirmed").exists()
    # Every place is over, and each that was submitted has a session here.
    rows = list(server.platform.submissions.values())
    assert {row.status for row in rows} <= OVER
    known = {row.external_id for row in sessions}
    assert {row.id for row in rows if row.status in ("APPROVED", "REJECTED")} <= known
    assert not Deal.objects.filter(state="open").exists()
    # Nobody was refused work.
    assert not Assignment.objects.exclude(state="approved").exists()
    # Honest people have the whole reward of each session that they submitted.
    for person in campaign.people:
        for submission in person.participant.submissions:
            assert submission.status in ("APPROVED", "RETURNED")


def run_campaign(server: FakeProlific, tmp_path, seed: int) -> HostileCampaign:
    project = make_project(tmp_path, ITEMS)
    publish_batch(project=project, now=server.clock())
    campaign = HostileCampaign(server, project, seed)
    campaign.run_tricks()
    campaign.finish_all()
    check(campaign)
    return campaign


@pytest.mark.parametrize("seed", range(1))
def test_everybody_is_paid_what_is_owed(server, tmp_path, seed):
    campaign = run_campaign(server, tmp_path, seed)
    assert len(campaign.used) >= 7


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 60))
def test_everybody_is_paid_what_is_owed_in_any_order(server, tmp_path, seed):
    run_campaign(server, tmp_path, seed)
