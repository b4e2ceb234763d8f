"""The operator's pages and commands."""

import csv
import io
import json
import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.utils import timezone

from marketplace.domain.accounts import accounts
from marketplace.models import (
    AccessKey,
    Appeal,
    Assignment,
    Invitation,
    LedgerEntry,
    Requester,
    WorkerAccount,
)

from .conftest import make_requester, make_worker, mturk_client

pytestmark = pytest.mark.django_db


def run(*args, **options) -> str:
    out = io.StringIO()
    call_command(*args, stdout=out, **options)
    return out.getvalue()


PAGES = ["", "workers/", "appeals/", "statement/", "notifications/", "consent/"]


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_for_staff_with_the_permission(page, client):
    users = get_user_model().objects
    assert client.get(f"/hits/operator/{page}").url.startswith("/hits/operator/login/?next=")
    client.force_login(users.create_user("staff", is_staff=True))
    assert client.get(f"/hits/operator/{page}").status_code == 403
    permitted = users.create_user("permitted")
    permitted.user_permissions.add(Permission.objects.get(codename="operate_marketplace"))
    client.force_login(permitted)
    assert client.get(f"/hits/operator/{page}").status_code == 403


@pytest.mark.parametrize("page", PAGES)
def test_pages_work_without_data(page, operator):
    assert operator.get(f"/hits/operator/{page}").status_code == 200


def test_headings_have_the_names_of_the_navigation(operator):
    start = operator.get("/hits/operator/").content.decode()
    navigation = start[start.index('aria-label="Operator"') :].partition("</nav>")[0]
    entries = re.findall(r'<a href="([^"]+)">([^<]+)</a>', navigation)
    assert len(entries) == 8
    for url, name in entries:
        [heading] = re.findall(r"<h1>(.+)</h1>", operator.get(url).content.decode())
        assert name.lower() in heading.lower()


def test_requester_is_created_with_a_key_and_deposits(operator, site):
    form = {"name": "lab", "email": "", "balance": "10.50"}
    page = operator.post("/hits/operator/", form).url
    assert "already" in operator.post("/hits/operator/", form).content.decode()
    issued = operator.post(f"{page}keys/")
    key_id, secret = issued.context["issued"]
    assert secret in issued.content.decode()
    assert "no-store" in issued["Cache-Control"]
    assert secret not in operator.get(page).content.decode()
    client = mturk_client(site, key_id, secret)
    assert client.get_account_balance()["AvailableBalance"] == "10.50"
    operator.post(f"{page}deposit/", {"amount": "-0.50", "note": "back", "confirmed": "yes"})
    assert client.get_account_balance()["AvailableBalance"] == "10.00"
    too_much = operator.post(
        f"{page}deposit/", {"amount": "-10.01", "note": "back", "confirmed": "yes"}
    )
    assert "more than the available balance" in too_much.content.decode()
    assert operator.post(f"{page}deposit/", {"amount": "0", "note": "n"}).status_code == 200
    operator.post(f"{page}keys/{key_id}/revoke/")
    assert AccessKey.objects.get().revoked_at is not None


def test_worker_is_searched_edited_and_closed(operator, browser, worker):
    make_worker("bob")
    matches = operator.get(f"/hits/operator/workers/?q={worker.code}").content.decode()
    assert ("ann" in matches, "bob" in matches) == (True, False)
    page = f"/hits/operator/workers/{worker.code}/"
    operator.post(page, {"country": "gb", "subdivision": "", "is_adult": "on", "active": "on"})
    worker.refresh_from_db()
    assert (worker.country, worker.is_adult, worker.active) == ("GB", True, True)
    operator.post(page, {"country": "GB", "confirmed": "yes"})
    assert browser.get("/hits/").status_code == 302


def test_invitations_are_created_and_shown(operator):
    operator.post("/hits/operator/workers/", {"count": 3, "note": "spring"})
    page = operator.get("/hits/operator/workers/").content.decode()
    for invitation in Invitation.objects.all():
        assert f"http://testserver/hits/join/{invitation.code}/" in page
    assert operator.post("/hits/operator/workers/", {"count": 0}).status_code == 200
    assert Invitation.objects.count() == 3


def test_pagination_keeps_the_search(operator, db):
    for number in range(120):
        make_worker(f"annotator{number:03}")
    page = operator.get("/hits/operator/workers/", {"q": "annotator1", "page": 1})
    assert "20 workers" in page.content.decode()
    assert 'rel="next"' not in page.content.decode()
    page = operator.get("/hits/operator/workers/", {"q": "annotator", "page": 2}).content.decode()
    assert "120 workers" in page
    path = "/hits/operator/workers/?q=annotator&amp;page="
    assert f'rel="next" href="{path}3"' in page
    assert f'href="{path}1" aria-label="Page 1"' in page
    assert f'href="{path}2" aria-current="page"' in page


def test_successful_appeal_pays(mturk, rejected, browser, worker, operator):
    history = browser.get("/hits/history/").content.decode()
    assert "Too few questions" in history
    appeal_page = f"/hits/history/{rejected}/appeal/"
    assert appeal_page in history
    browser.post(appeal_page, {"text": "The verb has one role."})
    twice = browser.post(appeal_page, {"text": "again"})
    assert "already appealed" in twice.content.decode()
    appeal = Appeal.objects.get()
    assert "one role" in operator.get("/hits/operator/appeals/").content.decode()
    page = f"/hits/operator/appeals/{appeal.pk}/"
    assert "yes" in operator.get(page).content.decode()  # the submitted answer
    operator.post(page, {"outcome": "overturned", "answer": "You are right.", "confirmed": "yes"})
    assert Assignment.objects.get().status == "Approved"
    assert mturk.get_account_balance()["AvailableBalance"] == "999.94"
    assert "You are right." in browser.get("/hits/messages/").content.decode()
    worker.refresh_from_db()
    assert (worker.approved_count, worker.rejected_count) == (1, 0)
    again = operator.post(page, {"outcome": "overturned", "answer": "twice", "confirmed": "yes"})
    assert again.status_code == 200
    assert LedgerEntry.objects.filter(kind="reward").count() == 1


def test_list_of_all_appeals_may_be_empty(operator):
    page = operator.get("/hits/operator/appeals/?all=1").content.decode()
    assert "No appeals yet." in page
    assert "View pending appeals" in page


def test_failed_appeal_keeps_the_rejection(mturk, rejected, browser, operator):
    browser.post(f"/hits/history/{rejected}/appeal/", {"text": "Please."})
    page = f"/hits/operator/appeals/{Appeal.objects.get().pk}/"
    operator.post(page, {"outcome": "upheld", "answer": "No.", "confirmed": "yes"})
    assert Assignment.objects.get().status == "Rejected"
    assert mturk.get_account_balance()["AvailableBalance"] == "1000.00"
    assert "No pending appeals" in operator.get("/hits/operator/appeals/").content.decode()
    assert "Please." in operator.get("/hits/operator/appeals/?all=1").content.decode()


def test_only_own_rejections_can_be_appealed(rejected, do_hit):
    from .conftest import log_in

    other = log_in(make_worker("bob"))
    assert other.get(f"/hits/history/{rejected}/appeal/").status_code == 404
    _, submitted = do_hit()
    assert other.get(f"/hits/history/{submitted}/appeal/").status_code == 404


def test_statement_agrees_with_the_ledger(earned, operator, tmp_path):
    today = timezone.now().date()
    query = f"?first={today}&last={today}"
    page = operator.get(f"/hits/operator/statement/{query}")
    assert page.context["total_cents"] == 116
    response = operator.get(f"/hits/operator/statement/{query}&format=csv")
    assert response["Content-Disposition"] == f'attachment; filename="payouts-{today}-{today}.csv"'
    file = tmp_path / "statement.csv"
    summary = json.loads(run("payout_statement", today, today, "--out", file, "--json"))
    assert summary == {"workers": 1, "total_usd": "1.16", "file": str(file)}
    assert file.read_bytes() == response.content
    (row,) = csv.DictReader(io.StringIO(response.content.decode()))
    assert row == {
        "worker_id": earned.code,
        "username": "ann",
        "email": "ann@example.org",
        "country": "US",
        "assignments": "1",
        "rewards_usd": "0.05",
        "bonuses": "2",
        "bonuses_usd": "1.11",
        "total_usd": "1.16",
        "paid_usd": "0.00",
        "due_usd": "1.16",
        "payment_details": "",
    }


def test_adjacent_periods_contain_each_entry_once(earned):
    from marketplace.domain.accounts.payouts import payouts

    entries = LedgerEntry.objects.filter(kind__in=["reward", "bonus"]).order_by("created_at")
    cut = entries[1].created_at
    long_ago, tomorrow = datetime(2000, 1, 1, tzinfo=UTC), timezone.now() + timedelta(days=1)
    halves = [*payouts(since=long_ago, until=cut), *payouts(since=cut, until=tomorrow)]
    assert sum(row["total_cents"] for row in halves) == 116
    assert len(halves) == 2


def test_statement_escapes_formulas(earned, tmp_path):
    WorkerAccount.objects.update(username="=1+1", email="+x@example.org")
    today = timezone.now().date()
    run("payout_statement", today, today, "--out", tmp_path / "s.csv")
    text = (tmp_path / "s.csv").read_text()
    assert "'=1+1" in text
    assert "'+x@example.org" in text


def test_statement_of_an_empty_period_is_refused(operator):
    page = operator.get("/hits/operator/statement/?first=2026-02-02&last=2026-02-01")
    assert "must not be before" in page.content.decode()
    with pytest.raises(CommandError) as error:
        run("payout_statement", "2026-02-02", "2026-02-01")
    assert error.value.returncode == 2
    with pytest.raises(CommandError):
        run("payout_statement", "yesterday", "2026-02-01")


def test_statement_of_all_days_of_the_calendar(earned, operator, tmp_path):
    first, last = date.min.isoformat(), date.max.isoformat()
    page = operator.get(f"/hits/operator/statement/?first={first}&last={last}")
    assert page.status_code == 200
    assert "$1.16" in page.content.decode()
    run("payout_statement", first, last, "--out", tmp_path / "all.csv")
    today = timezone.now().date()
    run("payout_statement", today, today, "--out", tmp_path / "today.csv")
    assert (tmp_path / "all.csv").read_text() == (tmp_path / "today.csv").read_text()


def test_earnings_and_history_of_a_worker(earned, browser):
    page = browser.get("/hits/earnings/").content.decode()
    assert "1.16" in page
    assert browser.get("/hits/history/").content.decode().count("0.11") == 1
    assert "You have no messages" in browser.get("/hits/messages/").content.decode()
    assert browser.get("/hits/messages/").content.decode().count(">New<") == 0


def test_commands_print_json():
    account = json.loads(run("create_requester", "lab", "--balance", "5", "--json"))
    assert set(account) == {
        "requester",
        "requester_id",
        "access_key_id",
        "secret_access_key",
        "endpoint_url",
    }
    assert Requester.objects.get().balance_cents == 500
    with pytest.raises(CommandError) as error:
        run("create_requester", "lab")
    assert error.value.returncode == 2
    invited = json.loads(run("invite_workers", "--count", "2", "--code-prefix", "demo-", "--json"))
    assert len(set(invited["codes"])) == 2
    assert all(code.startswith("demo-") for code in invited["codes"])
    assert invited["urls"][0].endswith(f"/hits/join/{invited['codes'][0]}/")
    assert run("invite_workers", "--count", "2").count("\n") == 2
    with pytest.raises(CommandError):
        run("invite_workers", "--count", "0")
    counts = json.loads(run("run_marketplace_maintenance", "--json"))
    assert counts == dict.fromkeys(
        ("abandoned", "expired", "reviewed", "approved", "disposed", "notified"), 0
    )


def test_key_from_the_command_signs_requests(site):
    account = json.loads(run("create_requester", "lab", "--balance", "5", "--json"))
    assert account["endpoint_url"] == f"{site}/mturk/"
    client = mturk_client(site, account["access_key_id"], account["secret_access_key"])
    assert client.get_account_balance()["AvailableBalance"] == "5.00"


def test_number_of_queries_does_not_grow_with_rows(operator, mturk, browser, do_hit):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def counts() -> list[int]:
        paths = [
            (browser, "/hits/"),
            (browser, "/hits/history/"),
            (browser, "/hits/messages/"),
            (browser, "/hits/qualifications/"),
            (operator, "/hits/operator/"),
            (operator, "/hits/operator/workers/"),
            (operator, f"/hits/operator/requesters/{lab.code}/"),
            (operator, "/hits/operator/appeals/?all=1&sort=worker"),
            (operator, f"/hits/operator/statement/?first={today}&last={today}&sort=-total"),
        ]
        numbers = []
        for client, path in paths:
            with CaptureQueriesContext(connection) as queries:
                assert client.get(path).status_code == 200
            numbers.append(len(queries))
        return numbers

    from marketplace.domain.notifications import messages
    from marketplace.domain.qualifications import qualifications

    lab = Requester.objects.get()
    worker = WorkerAccount.objects.get()
    today = timezone.now().date()

    def add_rows(number: int) -> None:
        from .test_ledger import publish_in_domain

        _, rejected = do_hit(Title=f"t{number}")
        mturk.reject_assignment(AssignmentId=rejected, RequesterFeedback="f")
        browser.post(f"/hits/history/{rejected}/appeal/", {"text": "t"})
        earner = make_worker(f"earner{number}")
        LedgerEntry.objects.create(
            requester=lab, worker=earner, kind="bonus", amount_cents=-5, created_at=timezone.now()
        )
        publish_in_domain(lab, reward_cents=number)
        make_requester(f"lab {number}")
        make_worker(f"worker{number}")
        write = {"requester": lab, "subject": "s", "text": "t", "now": timezone.now()}
        messages.write(worker_id=worker.pk, **write)
        fields = {"name": f"q{number}", "description": "d"}
        qualifications.create_type(requester=lab, fields=fields, now=timezone.now())

    add_rows(1)
    counts()  # fills the cache
    few = counts()
    for number in range(2, 12):
        add_rows(number)
    counts()
    assert counts() == few


def test_simulated_workers_are_hidden_by_default(operator, earned, worker):
    from marketplace.domain.accounts.payouts import payouts

    long_ago, tomorrow = datetime(2000, 1, 1, tzinfo=UTC), timezone.now() + timedelta(days=1)
    assert len(payouts(since=long_ago, until=tomorrow)) == 1
    WorkerAccount.objects.filter(pk=worker.pk).update(is_simulated=True)
    assert not payouts(since=long_ago, until=tomorrow)
    assert worker.code not in operator.get("/hits/operator/workers/").content.decode()
    assert worker.code in operator.get("/hits/operator/workers/?simulated=1").content.decode()


def test_invitation_of_a_rehearsal_creates_a_simulated_worker():
    [code] = json.loads(run("invite_workers", "--count", "1", "--simulated", "--json"))["codes"]
    account = accounts.sign_up(
        invitation_code=code, username="sim", email="sim@rehearsal.invalid", password="long-enough-1",
        country="US", now=timezone.now(),
    )  # fmt: skip
    assert account.is_simulated
