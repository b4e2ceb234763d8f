"""The stand-in's wallet: locks, fees, rewards and bonuses."""

from contextlib import suppress
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.prolific import CODE, FakeProlific, NotEligibleError


def completed(prolific, **fields):
    """Return a participant with a completed submission."""
    study = prolific.add_study(**fields)
    person = prolific.participant()
    person.take(study)
    person.complete(CODE)
    return person, person.submissions[0]


def set_up(prolific, submission, csv):
    body = {"study_id": submission.study, "csv_bonuses": csv}
    return prolific.call("POST", "/submissions/bonus-payments/", body)


def pay(prolific, key):
    return prolific.call("POST", f"/bulk-bonus-payments/{key}/pay/")


def amounts(prolific):
    return [(row.kind, row.amount, row.fee, row.vat) for row in prolific.movements]


def test_approval_moves_reward_fee_and_vat(prolific):
    _, submission = completed(prolific)
    before = prolific.available_balance
    prolific.call("POST", f"/submissions/{submission.id}/transition/", {"action": "APPROVE"})
    assert amounts(prolific) == [("reward", 200, 86, 17)]
    assert prolific.balance == 1_000_000 - 303
    # The money was locked at publication.
    assert prolific.available_balance == before


@pytest.mark.parametrize(
    ("rates", "fee", "vat"),
    [
        ({}, 86, 17),
        ({"vat_rate": "0"}, 86, 0),
        ({"fee_rate": "0.333", "vat_rate": "0.19"}, 67, 13),
    ],
)
def test_rates_are_configurable(rates, fee, vat):
    with FakeProlific(**rates) as prolific:
        assert prolific.workspace.charges(200) == (fee, vat)


def test_bonus_setup_is_free_and_payment_follows(prolific):
    _, submission = completed(prolific)
    before = prolific.available_balance
    status, bulk = set_up(prolific, submission, f"{submission.id},1.50\n")
    assert status == 201
    assert bulk == {
        "id": bulk["id"],
        "study": submission.study,
        "amount": 150,
        "fees": 64,
        "vat": 13,
        "total_amount": 227,
    }
    assert prolific.available_balance == before
    assert pay(prolific, bulk["id"])[0] == 202
    assert prolific.available_balance == before - 227
    assert submission.bonus_payments == []
    prolific.clock.advance(minutes=3)
    assert amounts(prolific) == [("bonus", 150, 64, 13)]
    assert submission.bonus_payments == [150]
    assert prolific.available_balance == before - 227


def test_repeated_bonus_payment_pays_twice(prolific):
    person, submission = completed(prolific)
    bulk = set_up(prolific, submission, f"{person.id},0.07")[1]
    for _ in range(2):
        assert pay(prolific, bulk["id"])[0] == 202
    prolific.clock.advance(minutes=3)
    prolific.tick()
    assert submission.bonus_payments == [7, 7]


def test_bonus_can_be_lost(prolific):
    _, submission = completed(prolific)
    bulk = set_up(prolific, submission, f"{submission.id},1")[1]
    prolific.lose_next_bonus()
    assert pay(prolific, bulk["id"])[0] == 202
    prolific.clock.advance(days=2)
    assert prolific.movements == []
    pay(prolific, bulk["id"])
    prolific.clock.advance(minutes=3)
    assert len(prolific.movements) == 1


@pytest.mark.parametrize("csv", ["{0},1.505", "{0},0", "{0},-1", "{0},x", "{0}", "{0},NaN"])
def test_invalid_amount_is_refused(prolific, csv):
    _, submission = completed(prolific)
    status, body = set_up(prolific, submission, csv.format(submission.id))
    assert status == 400
    assert len(body["error"]["detail"]) == 1


def test_bonus_of_another_study_is_refused(prolific):
    _, submission = completed(prolific)
    other, _ = completed(prolific)
    csv = f"{submission.id},1\n{other.id},1\n{'a' * 24},1"
    assert len(set_up(prolific, submission, csv)[1]["error"]["detail"]) == 2


def test_at_most_200_bonuses_are_set_up(prolific):
    _, submission = completed(prolific)
    assert set_up(prolific, submission, f"{submission.id},1\n" * 201)[0] == 400
    assert set_up(prolific, submission, f"{submission.id},1\n" * 200)[0] == 201


def test_bonus_without_funds_is_refused(prolific):
    _, submission = completed(prolific)
    bulk = set_up(prolific, submission, f"{submission.id},1.50")[1]
    prolific.workspace.start = 606 + 226
    assert pay(prolific, bulk["id"])[0] == 400
    prolific.workspace.start += 1
    assert pay(prolific, bulk["id"])[0] == 202
    assert prolific.available_balance == 0


def test_unknown_payment_is_not_found(prolific):
    assert pay(prolific, "a" * 24)[0] == 404


def test_work_with_a_bonus_is_also_approved_by_time(prolific):
    _, submission = completed(prolific)
    pay(prolific, set_up(prolific, submission, f"{submission.id},1")[1]["id"])
    prolific.clock.advance(days=21)
    assert [row.kind for row in prolific.movements] == ["reward", "bonus"]


def test_balance(prolific):
    prolific.add_study()
    path = f"/workspaces/{prolific.workspace.id}/balance/"
    body = prolific.call("GET", path)[1]
    assert body["currency_code"] == "USD"
    assert body["total_balance"] == 1_000_000
    assert body["available_balance"] == 1_000_000 - 606
    assert sum(body["available_balance_breakdown"].values()) == 1_000_000 - 606
    prolific.options.has_balance_endpoint = False
    assert prolific.call("GET", path)[0] == 404


def test_costs(prolific):
    _, submission = completed(prolific)
    prolific.call("POST", f"/submissions/{submission.id}/transition/", {"action": "APPROVE"})
    pay(prolific, set_up(prolific, submission, f"{submission.id},1.50")[1]["id"])
    prolific.clock.advance(minutes=3)
    path = f"/studies/{submission.study}/cost/"

    def columns(body):
        return {kind: [row["amount"] for row in rows.values()] for kind, rows in body.items()}

    assert columns(prolific.call("GET", path)[1]) == {
        "rewards": [200, 86, 17],
        "bonuses": [150, 64, 13],
    }
    projected = prolific.call("GET", path, None, is_projected="true")[1]
    assert columns(projected)["rewards"] == [400, 172, 34]
    body = {"reward": 200, "total_available_places": 2}
    assert prolific.call("POST", "/study-cost-calculator/", body) == (200, {"total_cost": 606})


class Campaign:
    """Operations on a small wallet, which the stand-in may refuse."""

    OPERATIONS: ClassVar = (
        *("publish", "take", "complete", "leave", "return_place", "approve", "reject"),
        *("mend", "set_up", "pay", "stop", "pause", "start", "grow", "wait"),
    )
    CODES: ClassVar = [
        {"code": CODE, "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]},
        {"code": "AUTO", "code_type": "OTHER", "actions": [{"action": "AUTOMATICALLY_APPROVE"}]},
        {"code": "MEND", "code_type": "OTHER", "actor": "researcher", "actions": []},
    ]

    def __init__(self, prolific):
        self.prolific = prolific
        self.people = [prolific.participant() for _ in range(3)]
        self.bulks = []
        self.publish(1)
        self.run("take", 0)

    def run(self, operation, number):
        with suppress(NotEligibleError, IndexError):
            getattr(self, operation)(number)

    def study(self, number):
        studies = list(self.prolific.platform.studies.values())
        return studies[number % len(studies)] if studies else None

    def submission(self, number):
        rows = list(self.prolific.platform.submissions.values())
        return rows[number % len(rows)] if rows else None

    def publish(self, number):
        study = self.prolific.add_study(
            publish=False,
            total_available_places=1 + number % 3,
            reward=200 + number,
            completion_codes=self.CODES,
            submissions_config={"max_submissions_per_participant": -1},
        )
        self.transition(study, "PUBLISH")

    def transition(self, study, action):
        if study:
            path = f"/studies/{study.id}/transition/"
            self.prolific.call("POST", path, {"action": action})

    def stop(self, number):
        self.transition(self.study(number), "STOP")

    def pause(self, number):
        self.transition(self.study(number), "PAUSE")

    def start(self, number):
        self.transition(self.study(number), "START")

    def grow(self, number):
        if study := self.study(number):
            body = {"total_available_places": study.places + 1}
            self.prolific.call("PATCH", f"/studies/{study.id}/", body)

    def person(self, number):
        return self.people[number % 3]

    def take(self, number):
        if study := self.study(number):
            self.person(number).take(study)

    def complete(self, number):
        self.person(number).complete(CODE if number % 2 else "AUTO")

    def leave(self, number):
        self.person(number).leave_without_code()

    def return_place(self, number):
        self.person(number).return_place()

    def decide(self, number, **body):
        if submission := self.submission(number):
            self.prolific.call("POST", f"/submissions/{submission.id}/transition/", body)

    def approve(self, number):
        self.decide(number, action="APPROVE")

    def reject(self, number):
        self.decide(number, action="REJECT", message="x" * 100, rejection_category="OTHER")

    def mend(self, number):
        self.decide(number, action="COMPLETE", completion_code="MEND")

    def set_up(self, number):
        if submission := self.submission(number):
            self.bulks.append(set_up(self.prolific, submission, f"{submission.id},0.37")[1]["id"])

    def pay(self, number):
        if self.bulks:
            pay(self.prolific, self.bulks[number % len(self.bulks)])

    def wait(self, number):
        self.prolific.clock.advance(minutes=number**3)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.sampled_from(Campaign.OPERATIONS), st.integers(0, 40)), max_size=40),
    st.integers(300, 3000),
)
def test_wallet_is_its_start_minus_the_movements(operations, start):
    with FakeProlific(balance=start) as prolific:
        campaign = Campaign(prolific)
        for operation, number in operations:
            campaign.run(operation, number)
            assert prolific.balance == start - sum(row.total for row in prolific.movements)
            assert 0 <= prolific.available_balance <= prolific.balance
        rewards = [row.submission for row in prolific.movements if row.kind == "reward"]
        assert len(rewards) == len(set(rewards))
        for submission in prolific.platform.submissions.values():
            bonuses = [
                row.amount
                for row in prolific.movements
                if row.kind == "bonus" and row.submission == submission.id
            ]
            assert submission.bonus_payments == bonuses
