"""Tests of the active pool: agreement with gold, alerts and feedback on production."""

import csv
import re

import pytest
from django.core import signing
from django.test import Client
from django.urls import reverse

from audit.models import StateChange
from consolidation.models import Review
from crowd.models import Message
from qualification.domain.pool.monitor_pool import (
    GRACE_ITEMS,
    acknowledge_alert,
    monitor_pool,
    monitor_pools,
    pool_figures,
    pool_rows,
)
from qualification.domain.scores.gold_comparisons import Point, series_of
from qualification.domain.training.feedback import (
    InvalidLinkError,
    Notes,
    NothingToSendError,
    feedback_of_token,
    link_of,
)
from qualification.domain.training.pool_feedback import (
    instructive_items,
    save_pool_feedback,
    send_pool_feedback,
)
from qualification.models import Alert, GoldComparison, PoolFeedback
from schemes.qasrl import comparison
from tests.consolidation.factories import IDENTIFIED, SURVEY, correct, make_project, source
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    LATER,
    WORKER,
    make_rounds,
    open_round,
    work_through,
)
from tests.qualification.production import compare, produce, write_gold

pytestmark = pytest.mark.django_db
UA = comparison.figures[0]
GOOD, POOR = EXPERT[IDENTIFIED], WORKER[IDENTIFIED]
BAD = source(
    SURVEY,
    ("What did someone identify?", ["natural gas"]),
    ("Who identified something?", ["that basin"]),
)


def make_items_with_gold(project, contents):
    items = produce(project, contents)
    for item in items:
        write_gold(item)
    compare()
    return items


def alerts(**facts):
    return list(Alert.objects.filter(**facts).order_by("pk"))


# --- agreement with the gold


def test_annotation_is_compared_once_with_its_gold():
    project, worker = make_project(), make_worker()
    make_items_with_gold(project, {worker: [GOOD, POOR]})
    assert compare() == 0
    first, second = GoldComparison.objects.order_by("submission__item")
    assert first.measures["UA"] == {"tp": 4, "fp": 0, "fn": 0}
    assert second.measures["UA"] == {"tp": 2, "fp": 0, "fn": 2}
    [row] = pool_rows(project=project, figures=pool_figures(project=project))
    assert (row.compared, row.overall, row.lately) == (2, 6 / 7, 6 / 7)


def test_newer_gold_replaces_the_outcome():
    project, worker = make_project(), make_worker()
    [item] = make_items_with_gold(project, {worker: [POOR]})
    write_gold(item, POOR)
    assert compare() == 1
    outcome = GoldComparison.objects.get()
    assert (outcome.gold.version, outcome.measures["UA"]["fn"]) == (2, 0)


def test_training_and_unfinished_items_have_no_outcome():
    worker = make_worker()
    training_round = make_rounds()[0]
    work_through(open_round(training_round, [worker]), worker)
    produce(make_project(), {worker: [GOOD]})
    assert compare() == 0


def test_curve_sums_over_the_window():
    hit, miss = {"tp": 1, "fp": 0, "fn": 0}, {"tp": 0, "fp": 1, "fn": 1}
    points = series_of(UA, [(NOW, hit)] * 20 + [(NOW, miss)] * 20)
    assert points[0] == Point(NOW, 1.0, 1.0)
    assert [points[index].window for index in (19, 29, 39)] == [1.0, 0.5, 0.0]
    assert points[39].item == 0


# --- alerts


def test_low_coverage_is_reported_again_only_after_more_items():
    project, worker = make_project(), make_worker()
    content = source(SURVEY, ("What did someone identify?", ["a basin"]))
    produce(project, {worker: [content] * GRACE_ITEMS})
    assert monitor_pools(clock=lambda: LATER) == 1
    assert monitor_pool(project=project, now=LATER) == 0
    [alert] = alerts()
    assert "1.00 questions per item over 15 items" in alert.reason
    trainer = make_user("tina")
    assert acknowledge_alert(alert=alert, by=trainer, note="wrote to them", now=LATER)
    assert not acknowledge_alert(alert=alert, by=trainer, note="again", now=LATER)
    assert monitor_pool(project=project, now=LATER) == 0
    produce(project, {worker: [content] * GRACE_ITEMS})
    assert monitor_pool(project=project, now=LATER) == 1
    moves = StateChange.objects.filter(aggregate="qualification.Alert").order_by("pk")
    assert [move.new for move in moves] == ["raised", "acknowledged", "raised"]


def test_falling_agreement_is_reported_with_both_figures():
    project, falling, steady = make_project(), make_worker(), make_worker()
    make_items_with_gold(project, {falling: [GOOD] * 40 + [BAD] * 20, steady: [GOOD] * 60})
    assert monitor_pool(project=project, now=LATER) == 1
    [alert] = alerts()
    assert (alert.worker, alert.kind) == (falling, "drift")
    assert "gold of 0.0 over 20 items, after 100.0 over the 40 before (p < 0.0001)" in alert.reason
    assert (
        next(
            row.coverage.worker
            for row in pool_rows(project=project, figures=pool_figures(project=project))
        )
        == falling
    )
    acknowledge_alert(alert=alert, by=make_user("tina"), note="", now=LATER)
    assert monitor_pool(project=project, now=LATER) == 0


def test_inactive_project_is_not_monitored():
    project, worker = make_project(), make_worker()
    content = source(SURVEY, ("What did someone identify?", ["a basin"]))
    produce(project, {worker: [content] * GRACE_ITEMS})
    assert monitor_pools(clock=lambda: LATER.replace(year=LATER.year + 1)) == 0


# --- feedback on production


def send_feedback(project, worker, text="Look.", **by_item):
    return send_pool_feedback(
        project=project,
        worker=worker,
        trainer=make_user(f"tina-{PoolFeedback.objects.count()}"),
        notes=Notes(text, by_item),
        now=LATER,
    )


def test_feedback_shows_expert_corrections_before_the_worst_items():
    project, worker = make_project(), make_worker()
    items = make_items_with_gold(project, {worker: [GOOD, POOR, BAD, GOOD]})
    gold = items[3].gold.get()
    review = Review.objects.create(gold=gold, drawn_at=NOW)
    content = {"questions": GOOD["questions"][:2]}
    correct(review=review, expert=make_user("ed"), content=content, comment="", now=LATER)
    compare()
    entries = instructive_items(project=project, worker=worker)
    assert [entry["item"] for entry in entries] == [items[3].pk, items[2].pk, items[1].pk]
    assert {row["state"] for row in entries[0]["rows"]} == {"found", "extra"}


def test_feedback_on_production_is_sent_with_its_link():
    project, worker = make_project(), make_worker()
    [item] = make_items_with_gold(project, {worker: [POOR]})
    feedback = send_feedback(project, worker, **{str(item.pk): "Split the names.", "99": "stray"})
    message = Message.objects.get()
    # The link contains its time, so the link in the message is a moment older than a new one.
    link = re.search(r"http://\S+/feedback/(\S+)/", message.text)
    assert link
    assert feedback.notes == {str(item.pk): "Split the names."}
    assert feedback_of_token(link[1]) == feedback
    token = link_of(feedback).rstrip("/").rpartition("/")[2]
    assert feedback_of_token(token) == feedback
    for bad in ("1", "", signing.dumps(["poolfeedback", feedback.pk], salt="another")):
        with pytest.raises(InvalidLinkError):
            feedback_of_token(bad)


def test_items_of_sent_feedback_do_not_change_with_the_gold():
    project, worker = make_project(), make_worker()
    [item] = make_items_with_gold(project, {worker: [POOR]})
    feedback = send_feedback(project, worker)
    write_gold(item, POOR)
    compare()
    feedback.refresh_from_db()
    assert {row["state"] for row in feedback.alignment[0]["rows"]} == {
        "extent-differs",
        "found",
        "missed",
    }


def test_empty_feedback_is_refused():
    with pytest.raises(NothingToSendError):
        save_pool_feedback(
            project=make_project(),
            worker=make_worker(),
            trainer=make_user("tina"),
            notes=Notes(" "),
            now=LATER,
        )


# --- pages


@pytest.fixture
def active_pool():
    """Return a project with an active pool, a worker with an alert, and the trainer's client."""
    project, worker = make_project(), make_worker()
    make_items_with_gold(project, {worker: [GOOD] * 40 + [BAD] * 20})
    monitor_pool(project=project, now=LATER)
    client = Client()
    client.force_login(make_user("tina", project, "trainer"))
    return project, worker, client


def page_at(name, project, *more):
    return reverse(f"qualification:{name}", args=[project.slug, *more])


def test_alert_is_shown_until_it_is_acknowledged(active_pool):
    project, worker, client = active_pool
    desk = client.get(page_at("rounds", project)).content.decode()
    assert "falling agreement" in desk
    assert worker.pseudonym in desk
    pool = client.get(page_at("pool", project)).content.decode()
    assert "falling agreement" in pool
    assert "After every 20 items, the newest 20 are compared" in pool
    [alert] = alerts()
    url = page_at("pool_acknowledge", project, worker.pseudonym, alert.pk)
    client.post(url, {"note": "was ill"})
    assert "No alerts" in client.get(page_at("rounds", project)).content.decode()
    page = client.get(page_at("pool_worker", project, worker.pseudonym)).content.decode()
    assert "was ill" in page


def test_worker_page_shows_the_agreement_as_chart_and_table(active_pool):
    project, worker, client = active_pool
    url = page_at("worker_agreement", project, worker.pseudonym)
    assert url in client.get(page_at("pool_worker", project, worker.pseudonym)).content.decode()
    page = client.get(url).content.decode()
    assert '<th scope="row">60</th>' in page
    drawing = client.get(f"{url}?format=svg").content.decode()
    assert drawing.count("<polyline") == 1
    rows = client.get(f"{url}?format=csv").getvalue().decode().splitlines()
    assert rows[1].endswith(",0.0,0.0")
    assert rows[-1].endswith(",1.0,1.0")


def test_pool_page_compares_speed_and_quality(active_pool):
    project, worker, client = active_pool
    url = page_at("speed_and_quality", project)
    figures = pool_figures(project=project)
    items, _, seconds = figures.coverage[worker.pk]
    _, *rows = csv.reader(client.get(f"{url}?format=csv").getvalue().decode().splitlines())
    [(name, seconds_per_item, agreement, compared)] = rows
    assert (name, float(seconds_per_item)) == (worker.pseudonym, seconds / items)
    assert (int(compared), float(agreement)) == figures.agreement[worker.pk][:2]
    assert f"<title>{worker.pseudonym}</title>" in client.get(f"{url}?format=svg").content.decode()


def test_worker_reads_feedback_and_replies(active_pool, client):
    project, worker, trainer = active_pool
    url = page_at("pool_write", project, worker.pseudonym)
    item_id = instructive_items(project=project, worker=worker)[0]["item"]
    trainer.post(url, {"action": "save", "text": "Dear you", f"note-{item_id}": "Read again."})
    preview = trainer.get(page_at("pool_preview", project, worker.pseudonym)).content.decode()
    assert "Preview of what the worker will see" in preview
    trainer.post(url, {"action": "send", "text": "Dear you", f"note-{item_id}": "Read again."})
    link = link_of(PoolFeedback.objects.get())
    page = client.get(link).content.decode()
    for words in ("Dear you", "Read again.", "Final version", "some of your verbs"):
        assert words in page
    assert worker.external_id not in page
    client.post(link, {"acknowledge": "1"})
    client.post(link, {"reply": "Why?"})
    assert client.post(link, {"reply": ""}).status_code == 422
    assert "Why?" in trainer.get(page_at("pool_worker", project, worker.pseudonym)).content.decode()
    assert client.get(link[:-4] + "xyz/").status_code == 404


def test_page_is_not_found_for_a_stranger(active_pool):
    project, _, client = active_pool
    stranger = make_worker()
    assert client.get(page_at("pool_worker", project, stranger.pseudonym)).status_code == 404


def test_queries_do_not_depend_on_workers_or_items(active_pool, django_assert_max_num_queries):
    project, worker, client = active_pool
    urls = [page_at("rounds", project), page_at("pool", project)]
    urls.append(page_at("pool_worker", project, worker.pseudonym))
    counts = []
    for more in (0, 12):
        if more:
            make_items_with_gold(
                project, {worker: [BAD] * more, **{make_worker(): [POOR] * more for _ in range(3)}}
            )
        for url in urls:
            with django_assert_max_num_queries(60) as counted:
                assert client.get(url).status_code == 200
            counts.append(len(counted.captured_queries))
    assert counts[:3] == counts[3:]
