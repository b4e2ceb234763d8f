"""Spam through the built-in marketplace, where a worker accepts HITs over HTTP and submits junk.

Only the reward is paid without review, and the worker is informed of the reason.
"""

import json
import re
from datetime import timedelta
from html import unescape
from itertools import count
from urllib.parse import urlsplit

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.decisions.appeal_bonus import AppealError, appeal_bonus, decide_appeal
from annotation.domain.decisions.review_bonus import accept_bonus, decline_bonus
from annotation.domain.decisions.send_bonus_news import PAUSE, send_bonus_news
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import BonusAppeal, HeldBonus, Submission
from audit.domain.change_state import TransitionNotAllowedError
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.money.announce_bonuses import send_due_announcements
from crowd.domain.money.send_payments import send_due_payments
from crowd.domain.workers.write_messages import send_due_messages
from crowd.enums import HitState
from crowd.models import Assignment, Hit, Message, Payment
from crowd.providers.mturk import client as mturk
from marketplace import models as market_models
from marketplace.domain.accounts import accounts
from projects.enums import MemberRole
from rehearsal.domain.worker import Account, SimulatedWorker
from tests.annotation.factories import CARRY, make_item, make_project
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db(transaction=True)

TOKENS = ["They", "carried", *(f"thing{number}" for number in range(60))]
NONSENSE = [f"Banana {word}?" for word in ("one", "two", "three", "four", "five", "six")]
COPIES = [
    "Who carried something?",
    "Who carries something?",
    "Who is carrying something?",
    "Who has carried something?",
]
HONEST = ["Who carried something?", "What did someone carry?", "When did someone carry something?"]
MANY = [
    f"{wh} {aux} someone carry something?"
    for wh in ("When", "Where", "Why", "How", "How long")
    for aux in ("did", "might", "will", "should", "would", "can")
]


class Script:
    """A scenario in which the worker accepts any HIT."""

    def hit_types(self) -> set[str]:
        return set(Hit.objects.values_list("hit_type__external_id", flat=True))


class Worker(SimulatedWorker):
    """A worker who writes these questions. `refusal` is the error response of the site, if any."""

    def __init__(self, site: str, questions: list[str], *, reason: str = "") -> None:
        (invitation,) = accounts.invite(count=1, now=timezone.now())
        account = Account("mallory", "m@example.org", "correct horse battery", invitation.code)
        super().__init__(site=site, account=account, script=Script())
        self.questions, self.reason, self.refusal = questions, reason, {}

    def _content(self, page, item):
        questions = [
            {"question": text, "answers": [[at + at // 2 + 2, at + at // 2 + 3]]}
            for at, text in enumerate(self.questions)
        ]
        return {"questions": questions, "no_question": self.reason}

    def _submit(self, page):
        """Submit to the marketplace alone if the site refuses the work."""
        message = self._message(page, 50)
        status, response = self.browser.post_json(page["urls"]["submit"], message)
        if status == 200:
            return response["fields"]
        self.refusal = response
        return {"content": json.dumps(message["content"])}


@pytest.fixture
def site(live_server, settings):
    settings.SITE_URL = settings.MARKETPLACE_URL = live_server.url
    settings.MTURK_ENDPOINT_URL = f"{live_server.url}/mturk/"
    settings.MTURK_WORKER_ORIGINS = [live_server.url]
    settings.MARKETPLACE_BUILTIN_KEY = (
        settings.MTURK_ACCESS_KEY_ID,
        settings.MTURK_SECRET_ACCESS_KEY,
    )
    mturk.connect.cache_clear()
    yield live_server.url
    mturk.connect.cache_clear()


def work_on_a_hit(
    site: str, questions: list[str], *, minutes: int = 5, free_form: bool = False, reason: str = ""
) -> Worker:
    """Publish an item, let the worker annotate it, record the work and send due payments."""
    project = make_project()
    project.allow_free_form = free_form
    project.save()
    make_item(project, tokens=TOKENS, verb=1, forms=CARRY)
    publish_batch(project=project, now=timezone.now())
    create_pending_hits(clock=timezone.now)
    assert Hit.objects.get().state == HitState.LIVE
    worker = Worker(site, questions, reason=reason)
    worker.sign_in()
    worker._do(worker._next_hit())
    Hit.objects.update(sync_due_at=timezone.now())
    sync_due_hits(clock=timezone.now)
    # Marketplace times are those of this test, while real work takes minutes.
    Assignment.objects.update(accepted_at=F("accepted_at") - timedelta(minutes=minutes))
    record_new_generations(clock=timezone.now)
    send_everything()
    return worker


def send_everything() -> None:
    """Send what is due, a pause later with each call, so that messages have all news."""
    for _ in range(2):
        send_due_payments(clock=timezone.now)
    pauses = next(_calls)
    send_bonus_news(clock=lambda: timezone.now() + pauses * PAUSE)
    send_due_announcements(clock=timezone.now)
    send_due_messages(clock=timezone.now)


_calls = count(2)


def paid() -> dict[str, int]:
    """Return the cents that the marketplace has paid the worker."""
    rewards = market_models.Assignment.objects.filter(status="Approved").count()
    return {
        "rewards": rewards,
        "bonuses": sum(b.amount_cents for b in market_models.Bonus.objects.all()),
    }


def messages_sent() -> str:
    """Return the texts of the messages that the worker has received."""
    return "\n".join(market_models.Message.objects.values_list("text", flat=True))


def held_codes() -> list[str]:
    return [reason["code"] for reason in HeldBonus.objects.get().reasons]


def test_honest_work_is_paid_at_once(site):
    worker = work_on_a_hit(site, HONEST)
    assert worker.refusal == {}
    assert paid() == {"rewards": 1, "bonuses": 5}
    assert not HeldBonus.objects.exists()
    assert not Message.objects.exists()


def test_nonsense_is_refused_with_a_reason_and_earns_nothing(site):
    worker = work_on_a_hit(site, NONSENSE)
    assert "“Banana one?” doesn't fit the question template" in json.dumps(
        worker.refusal, ensure_ascii=False
    )
    # Work that is sent only to the marketplace needs review.
    assert "doesn't fit the question template" in Submission.objects.get().problem
    assert paid() == {"rewards": 0, "bonuses": 0}


def test_nonsense_where_free_form_is_allowed_earns_the_reward_only(site):
    worker = work_on_a_hit(site, NONSENSE, free_form=True)
    assert worker.refusal == {}
    assert held_codes()[0] == "free-form"
    assert paid() == {"rewards": 1, "bonuses": 0}
    assert "Free-form questions: “Banana one?”" in messages_sent()


def test_copies_with_one_word_changed_earn_the_reward_only(site):
    work_on_a_hit(site, COPIES)
    assert held_codes() == ["repeated"]
    assert paid() == {"rewards": 1, "bonuses": 0}
    assert "Very similar to another question: “Who carries something?”" in messages_sent()


def test_thirty_questions_are_refused_and_earn_the_reward_only(site):
    worker = work_on_a_hit(site, MANY)
    assert "At most 12 questions can be submitted for one verb" in json.dumps(worker.refusal)
    assert held_codes()[0] == "units"
    assert paid() == {"rewards": 1, "bonuses": 0}
    assert "30 questions. Bonuses for more than 6 questions are reviewed." in messages_sent()
    # The maximum bonus for twelve questions stays reserved.
    bonus = Payment.objects.get(kind="bonus")
    assert (bonus.state, bonus.amount_cents) == ("review", sum(range(5, 15)))


def test_instant_work_earns_the_reward_only(site):
    work_on_a_hit(site, HONEST, minutes=0)
    assert held_codes() == ["speed"]
    assert paid() == {"rewards": 1, "bonuses": 0}
    assert "at least 8 seconds per verb" in messages_sent()


def test_comment_without_questions_earns_the_reward_only(site):
    work_on_a_hit(site, [], reason="Nothing can be asked.")
    assert paid() == {"rewards": 1, "bonuses": 0}
    assert not Payment.objects.filter(kind="bonus").exists()


def test_accepted_bonus_is_paid_once_and_a_second_decision_is_refused(site):
    work_on_a_hit(site, HONEST, minutes=0)
    held = HeldBonus.objects.get()
    accept_bonus(held=held, note="Fine work.", actor="rita", now=timezone.now())
    for _ in range(3):
        send_everything()
    assert paid() == {"rewards": 1, "bonuses": 5}
    assert "will be paid. Fine work." in messages_sent()
    with pytest.raises(Exception, match="accepted and can't become declined"):
        decline_bonus(held=held, reason="No.", actor="rita", now=timezone.now())
    assert paid() == {"rewards": 1, "bonuses": 5}


def test_declined_bonus_is_never_paid_and_its_money_is_released(site):
    work_on_a_hit(site, HONEST, minutes=0)
    budget = HeldBonus.objects.get().project.budget
    reserved = budget.reserved_cents
    decline_bonus(held=HeldBonus.objects.get(), reason="Copied.", actor="rita", now=timezone.now())
    send_everything()
    budget.refresh_from_db()
    assert paid() == {"rewards": 1, "bonuses": 0}
    assert budget.reserved_cents == reserved - 6
    assert "was declined: Copied." in messages_sent()


# --- what the worker sees at the marketplace


def seen(page: str) -> str:
    """Return the text of the worker's page at the marketplace."""
    account = market_models.WorkerAccount.objects.get()
    client = Client()
    client.cookies[accounts.COOKIE] = accounts.start_session(worker=account, now=timezone.now())
    text = re.sub(r"<[^>]*>", " ", client.get(f"/hits/{page}/").content.decode())
    return " ".join(unescape(text).split())


def test_bonus_in_review_is_shown_until_it_is_accepted(site):
    work_on_a_hit(site, HONEST, minutes=0)
    assert "Bonuses in review $0.05" in seen("earnings")
    history = seen("history")
    assert "+ 0.05 bonus in review" in history
    assert "We expect at least 8 seconds per verb." in history
    accept_bonus(held=HeldBonus.objects.get(), actor="rita", now=timezone.now())
    send_everything()
    assert "in review" not in seen("earnings") + seen("history")
    assert "includes 0.05 bonus" in seen("history")


def test_declined_bonus_is_appealed_and_paid_once(site):
    """The bonus is 5 cents and its fee 1 cent, which are reserved, released and reserved again.

    28 cents are reserved for the second annotator of the item. The reward cost 6 cents.
    """
    work_on_a_hit(site, HONEST, minutes=0)
    held = HeldBonus.objects.get()
    budget = held.project.budget
    decline_bonus(held=held, reason="Copied.", actor="rita", now=timezone.now())
    send_everything()
    budget.refresh_from_db()
    assert (budget.reserved_cents, budget.spent_cents) == (28, 6)
    assert "Bonus declined: Copied. Appeal" in seen("history")
    assert "in review" not in seen("earnings")
    [address] = set(re.findall(r"http\S+/bonus/\S+/", messages_sent()))
    page = Client()
    assert "Copied." in page.get(urlsplit(address).path).content.decode()
    assert page.post(urlsplit(address).path, {"text": " "}).status_code == 422
    assert page.post(urlsplit(address).path, {"text": "I wrote it myself."}).status_code == 302
    assert page.post(urlsplit(address).path, {"text": "And again."}).status_code == 422
    decide_appeal(
        appeal=BonusAppeal.objects.get(),
        pay=True,
        answer="Sorry!",
        actor="rita",
        now=timezone.now(),
    )
    with pytest.raises(TransitionNotAllowedError):
        decide_appeal(
            appeal=BonusAppeal.objects.get(),
            pay=True,
            answer="No.",
            actor="eve",
            now=timezone.now(),
        )
    budget.refresh_from_db()
    assert (budget.reserved_cents, budget.spent_cents) == (34, 6)
    for _ in range(3):
        send_everything()
    budget.refresh_from_db()
    assert (budget.reserved_cents, budget.spent_cents) == (28, 12)
    assert paid() == {"rewards": 1, "bonuses": 5}
    assert "will be paid. Sorry!" in messages_sent()
    assert "The bonus will be paid." in page.get(urlsplit(address).path).content.decode()


def test_upheld_decision_is_answered_and_pays_nothing(site):
    work_on_a_hit(site, HONEST, minutes=0)
    held = HeldBonus.objects.get()
    decline_bonus(held=held, reason="Copied.", actor="rita", now=timezone.now())
    held.refresh_from_db()
    appeal = appeal_bonus(held=held, text="I wrote it.", now=timezone.now())
    client = Client()
    client.force_login(make_user("rita", held.project, MemberRole.REQUESTER))
    page = reverse("annotation:held_bonuses", args=[held.project.slug])
    assert b"I wrote it." in client.get(page).content
    answer = reverse("annotation:answer_appeal", args=[held.project.slug, appeal.pk])
    assert client.post(answer, {"answer": "", "outcome": "pay"}).status_code == 422
    client.post(answer, {"answer": "All of it is in the archive.", "outcome": "decline"})
    send_everything()
    assert paid() == {"rewards": 1, "bonuses": 0}
    assert "stays declined. All of it is in the archive." in messages_sent()
    assert "Your appeal was declined: All of it is in the archive." in seen("history")
    assert b"I wrote it." not in client.get(page).content


def test_appeals_end_after_thirty_days(site):
    work_on_a_hit(site, HONEST, minutes=0)
    held = HeldBonus.objects.get()
    with pytest.raises(AppealError, match="Only bonuses that were declined"):
        appeal_bonus(held=held, text="Pay me.", now=timezone.now())
    decline_bonus(held=held, reason="Copied.", actor="rita", now=timezone.now())
    with pytest.raises(AppealError, match="within 30 days"):
        appeal_bonus(held=held, text="Late.", now=timezone.now() + timedelta(days=31))
