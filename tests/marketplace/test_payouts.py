"""Payouts that the operator records, what is due afterwards, and the workers' payment details."""

import csv
import io
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from marketplace.domain.accounts.operator_profile import DEFAULT_PAYOUTS
from marketplace.domain.accounts.payment_details import payment_details, rotate_payment_details
from marketplace.domain.accounts.payouts import payouts, record_payouts
from marketplace.domain.errors import RefusalError
from marketplace.models import LedgerEntry, Message, PaymentDetails, Payout

from .conftest import log_in, make_worker

STATEMENT = "/hits/operator/statement/"
RECORD = "/hits/operator/statement/record/"
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
ACCOUNT = "Ann Ortiz, NL00 BANK 0123 4567 89"


def form(**more: object) -> dict[str, object]:
    today = timezone.now().date().isoformat()
    return {"first": today, "last": today, "reference": "T-4711", "paid_on": today, **more}


def record(operator, **more: object):
    """Post the form, confirm its total, and return the confirmation and the result."""
    page = operator.post(RECORD, form(**more))
    assert page.status_code == 200, page.headers
    confirmed = dict(page.context["fields"])
    confirmed |= {"worker": more.get("worker", []), "confirmed": "yes"}
    return page, operator.post(RECORD, confirmed, follow=True)


def due() -> dict[str, int]:
    return {row["username"]: row["due_cents"] for row in payouts(since=EARLIEST, until=LATEST)}


def statement_rows(operator) -> list[dict[str, str]]:
    answer = operator.get(STATEMENT, {**form(), "format": "csv"})
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_statement_opens_with_this_month(earned, operator):
    page = operator.get(STATEMENT)
    today = timezone.now().date()
    assert page.context["form"].cleaned_data == {"first": today.replace(day=1), "last": today}
    assert (page.context["total_cents"], page.context["due_cents"]) == (116, 116)


def test_recorded_payout_is_not_due_again(earned, operator, browser):
    """The worker earned 5 + 11 + 100 cents."""
    page, result = record(operator, worker=[earned.code])
    text = page.content.decode()
    assert "Record $1.16 to 1 worker as paid?" in text
    assert "1 of them entered no payment details." in text
    assert [str(message) for message in result.context["messages"]] == [
        "Recorded: $1.16 to 1 worker. Messages were sent."
    ]
    assert due() == {"ann": 0}
    (row,) = statement_rows(operator)
    assert (row["total_usd"], row["paid_usd"], row["due_usd"]) == ("1.16", "1.16", "0.00")
    again = operator.post(RECORD, form(everyone="on"))
    assert again.status_code == 422
    assert "Nothing is due to these workers" in again.content.decode()
    earnings = browser.get("/hits/earnings/").content.decode()
    assert "T-4711" in earnings
    assert earnings.count(str(DEFAULT_PAYOUTS)) == 1
    assert Message.objects.get(subject="You were paid $1.16").worker == earned


def test_work_after_the_payout_is_due(earned, operator, mturk):
    record(operator, everyone="on")
    assignment = earned.assignments.get()
    mturk.send_bonus(
        WorkerId=earned.code, AssignmentId=assignment.code, BonusAmount="0.07", Reason="More"
    )
    assert due() == {"ann": 7}
    record(operator, everyone="on", reference="T-4712")
    assert list(Payout.objects.order_by("pk").values_list("amount_cents", "reference")) == [
        (116, "T-4711"),
        (7, "T-4712"),
    ]


def test_payout_covers_only_the_period(earned, operator):
    """A period that ends before the last entry leaves it due."""
    entries = list(LedgerEntry.objects.filter(worker=earned, kind__in=["reward", "bonus"]))
    cut = max(entry.created_at for entry in entries)
    last = -sum(entry.amount_cents for entry in entries if entry.created_at == cut)
    today = timezone.now().date()
    record_payouts(
        since=EARLIEST,
        until=cut,
        worker_codes=[earned.code],
        expected_cents=116 - last,
        reference="T-1",
        paid_on=today,
        actor="olga",
        now=timezone.now(),
    )
    assert due() == {"ann": last}


def test_changed_total_is_refused(earned, operator):
    page = operator.post(RECORD, form(everyone="on"))
    assert page.context["fields"][-1] == ("seen", 116)
    old = form(everyone="on", seen=109, confirmed="yes")
    answer = operator.post(RECORD, old)
    assert answer.status_code == 422
    assert "The amount that is due has changed" in answer.content.decode()
    assert due() == {"ann": 116}


def test_workers_have_to_be_selected(earned, operator):
    answer = operator.post(RECORD, form())
    assert "Select workers in the list, or all of them." in answer.content.decode()
    assert due() == {"ann": 116}


def test_payout_of_a_later_day_is_refused(earned, operator):
    answer = operator.post(RECORD, form(everyone="on", paid_on=LATEST.date().isoformat()))
    assert "This day is in the future." in answer.content.decode()
    assert due() == {"ann": 116}


def test_withdrawn_payout_is_due_again(earned, operator, browser):
    record(operator, everyone="on")
    url = f"/hits/operator/payouts/{Payout.objects.get().pk}/withdraw/"
    assert "Withdraw the payout of $1.16?" in operator.get(url).content.decode()
    assert due() == {"ann": 0}
    operator.post(url, {"confirmed": "yes"})
    assert due() == {"ann": 116}
    assert "T-4711" not in browser.get("/hits/earnings/").content.decode()
    operator.post(url, {"confirmed": "yes"})
    assert Message.objects.filter(subject="Correction: $1.16 is still due").count() == 1
    assert "withdrawn" in operator.get("/hits/operator/payouts/").content.decode()


def test_operators_pages_are_not_for_workers(earned, browser):
    for url in ("/hits/operator/payouts/", "/hits/operator/payouts/1/withdraw/"):
        assert browser.get(url).url.startswith("/hits/operator/login/")
    assert browser.post(RECORD, form(everyone="on")).url.startswith("/hits/operator/login/")


def test_payment_details_are_encrypted_and_in_the_statement(earned, operator, browser):
    response = browser.post("/hits/payment/", {"details": ACCOUNT})
    assert response.url == "/hits/earnings/"
    assert ACCOUNT in browser.get("/hits/payment/").content.decode()
    assert "Ann" not in PaymentDetails.objects.get().text_encrypted
    assert statement_rows(operator)[0]["payment_details"] == ACCOUNT
    assert ACCOUNT in operator.get(f"/hits/operator/workers/{earned.code}/").content.decode()
    assert ACCOUNT not in log_in(make_worker("bob")).get("/hits/payment/").content.decode()
    browser.post("/hits/payment/", {"details": " "})
    assert not PaymentDetails.objects.exists()


def test_payment_details_survive_a_new_key(earned, browser, settings):
    browser.post("/hits/payment/", {"details": ACCOUNT})
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        assert rotate_payment_details() == 1
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[]):
        assert payment_details([earned.code]) == {earned.code: ACCOUNT}
    assert "can't be decrypted" in payment_details([earned.code])[earned.code]
    assert "enter them again" in browser.get("/hits/payment/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_concurrent_recording_pays_once(earned):
    gate, results = threading.Barrier(3), []

    def run() -> None:
        gate.wait()
        try:
            record_payouts(
                since=EARLIEST,
                until=LATEST,
                worker_codes=[earned.code],
                expected_cents=116,
                reference="T-1",
                paid_on=(timezone.now() - timedelta(days=1)).date(),
                actor="olga",
                now=timezone.now(),
            )
            results.append("recorded")
        except RefusalError as refusal:
            results.append(refusal.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result.rpartition(".")[2] for result in sorted(results)] == [
        "PayoutChanged",
        "PayoutChanged",
        "recorded",
    ]
    assert Payout.objects.get().amount_cents == 116
