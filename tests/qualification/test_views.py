"""Tests of the trainer's pages and the worker's feedback, over HTTP."""

import csv
import html
import io
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.domain.corpus.check_corpus import item_key
from crowd.domain.workers.write_mail import keep_address
from crowd.models import Mail, MailAddress, Message
from datasets.models import Decision
from qualification.domain.training.feedback import Notes, link_of, send_feedback
from qualification.enums import EnrolmentState
from qualification.models import Cohort, Enrolment, Feedback, Round
from tests.annotation.uploads import run_jobs
from tests.consolidation.factories import CONTAIN, SURVEY, make_project, source, span_of
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    LATER,
    make_evaluated,
    make_items,
    make_rounds,
    open_round,
    record,
    submit_work,
    work_through,
)

pytestmark = pytest.mark.django_db


def at(name, enrolment, *more):
    return reverse(f"qualification:{name}", args=[enrolment.round.project.slug, *more])


def page_of(name, enrolment):
    return at(name, enrolment, enrolment.round_id, enrolment.worker.pseudonym)


def test_round_page_shows_figures_and_a_suggestion(desk, enrolment):
    page = desk.get(at("round", enrolment, enrolment.round_id)).content.decode()
    assert enrolment.worker.pseudonym in page
    assert "80.0" in page
    assert "decline or repeat" in page  # an LA F1 of 60 is below the threshold of 65


@pytest.mark.parametrize(
    "sort", ["UA", "-UA", "units_per_item", "state", "worker", "nonsense", "-"]
)
def test_round_page_sorts_by_any_column_and_ignores_unknown_ones(desk, enrolment, sort):
    url = at("round", enrolment, enrolment.round_id)
    assert desk.get(url, {"sort": sort, "state": "to-decide"}).status_code == 200


def test_training_pages_load_htmx_and_their_styles_in_the_head(desk, enrolment):
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    head = page.partition("</head>")[0]
    for name in ("htmx", "trainer", "training", "answer-state"):
        assert name in head
    assert page.count("stylesheet") == head.count("stylesheet")


def test_round_page_shows_workers_without_submissions(desk, enrolment):
    worker = make_worker()
    open_round(enrolment.round, [worker])
    page = desk.get(at("round", enrolment, enrolment.round_id)).content.decode()
    assert worker.pseudonym in page


def test_round_page_marks_who_waits_for_a_decision(desk, enrolment):
    page = desk.get(at("round", enrolment, enrolment.round_id)).content.decode()
    waiting = (
        '<span class="state state--to-decide tone--waiting">finished, awaiting decision</span>'
    )
    assert f'{waiting} <a href="?state=to-decide">1 worker</a>' in page


def test_round_page_filters_by_state(desk, enrolment):
    url = at("round", enrolment, enrolment.round_id)
    page = desk.get(url, {"state": "passed"}).content.decode()
    assert "No matches" in page


def add_finished_workers(enrolment, workers):
    extra = [make_worker() for _ in range(workers)]
    cohort = open_round(enrolment.round, extra)
    for worker in extra:
        work_through(cohort, worker)


def test_queries_do_not_grow_with_the_workers(desk, enrolment, django_assert_max_num_queries):
    urls = [at("round", enrolment, enrolment.round_id), page_of("trainee", enrolment)]
    counts = []
    for workers in (2, 6):
        add_finished_workers(enrolment, workers)
        for url in urls:
            with django_assert_max_num_queries(60) as counted:
                assert desk.get(url).status_code == 200
            counts.append(len(counted.captured_queries))
    assert counts[:2] == counts[2:]


def test_queries_do_not_grow_with_the_items(desk, django_assert_max_num_queries, trainer):
    counts = []
    for pairs in (1, 8):
        enrolment = make_evaluated(pairs=pairs)
        enrolment.round.project.memberships.create(user=trainer, role="trainer")
        with django_assert_max_num_queries(60) as counted:
            assert desk.get(page_of("trainee", enrolment)).status_code == 200
        counts.append(len(counted.captured_queries))
    assert counts[0] == counts[1]


def test_trainee_page_labels_every_state(desk, enrolment):
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    for label in ("found", "missed", "other question", "span differs", "answer too long"):
        assert f">{label}<" in page
    assert "answer not split" in page


def test_overrule_keeps_the_draft_and_corrects_the_figures(desk, enrolment):
    item = enrolment.round.items.get(target__verb_idx=CONTAIN)
    span = "-".join(map(str, span_of(SURVEY, "that basin")))
    response = desk.post(
        page_of("overrule", enrolment),
        {
            "decision": json.dumps([item.pk, "label-accepted", span, span]),
            f"note-{item.pk}": "Mind the modal.",
            "seconds": "40",
        },
    )
    assert response.url.endswith(f"#item-{item.pk}")
    assert Feedback.objects.get().notes == {str(item.pk): "Mind the modal."}
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    assert "LA F1, corrected" in page
    decision = Decision.objects.get()
    desk.post(page_of("overrule", enrolment), {"undo": f"{item.pk}|{decision.pk}"})
    assert not Decision.objects.exists()


def make_evaluated_with_extra_answer(trainer):
    extra = source(
        SURVEY,
        ("What might contain something?", ["that basin"]),
        ("Who might contain something?", ["the U.S. Geological Survey"]),
    )
    enrolment = make_evaluated({**EXPERT, CONTAIN: extra})
    enrolment.round.project.memberships.create(user=trainer, role="trainer")
    return enrolment


def test_extra_answer_is_accepted_by_button(desk, trainer):
    enrolment = make_evaluated_with_extra_answer(trainer)
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    [value] = re.findall(r'value="(\[\d+, &quot;answer-accepted&quot;, null, [^"]+\])"', page)
    desk.post(page_of("overrule", enrolment), {"decision": html.unescape(value)})
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    assert "correct, although the expert didn&#x27;t mark it" in page
    assert "UA F1, corrected" in page


def test_unfinished_worker_is_evaluated_by_button(desk, enrolment):
    worker = make_worker()
    cohort = open_round(enrolment.round, [worker])
    partial = enrolment.round.enrolments.get(worker=worker)
    url = page_of("evaluate", partial)
    assert "submitted nothing yet" in desk.post(url, follow=True).content.decode()
    submit_work(cohort.batch.tasks.first(), worker)
    record()
    page = desk.post(url, follow=True).content.decode()
    assert "Preliminary figures for the 1 item submitted" in page
    table = desk.get(at("round", enrolment, enrolment.round_id)).content.decode()
    assert "in progress" in table


def test_worker_with_low_coverage_is_flagged_in_the_table(desk, trainer):
    thrifty = {verb: source(SURVEY, ("What did someone identify?", ["a basin"])) for verb in EXPERT}
    enrolment = make_evaluated(thrifty)
    enrolment.round.project.memberships.create(user=trainer, role="trainer")
    page = desk.get(at("round", enrolment, enrolment.round_id)).content.decode()
    assert "low coverage" in page


def test_snippets_and_feedback_link_to_the_guidelines_section(client, desk, enrolment):
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    assert 'href="#modals"' in page
    assert '<h2 id="modals">' in page
    item = enrolment.round.items.get(target__verb_idx=CONTAIN)
    entry = enrolment.evaluations.get().alignment[1]
    remark = dict(entry["remarks"])["modal-missing"]
    desk.post(page_of("write", enrolment), {"action": "send", f"note-{item.pk}": f"Look: {remark}"})
    html = client.get(link_of(Feedback.objects.get())).content.decode()
    assert '<a href="#modals">Modals</a>' in html
    assert '<h2 id="modals">' in html


def test_missed_answer_is_paired_with_a_selected_answer(desk, trainer):
    enrolment = make_evaluated_with_extra_answer(trainer)
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    name, options = re.findall(r'<select name="with-([^"]+)"(.*?)</select>', page, re.DOTALL)[0]
    [key, *_] = re.findall(r'<option value="([^"]+)"', options)
    value = html.unescape(name)
    item, kind, reference, predicted = json.loads(value)
    assert (kind, predicted) == ("pair-accepted", None)
    url = page_of("overrule", enrolment)
    response = desk.post(url, {"decision": value, f"with-{value}": key})
    assert response.url.endswith(f"#item-{item}")
    decision = Decision.objects.get()
    sides = (decision.reference_key, decision.predicted_key)
    assert (decision.kind, *sides) == ("pair-accepted", reference, key)


@pytest.mark.parametrize(
    "value", ["", "1|x", "[]", '[1, "pair-accepted", "0-1", null]', '["1", "x", null, "0-1"]']
)
def test_unknown_decision_is_not_found(desk, enrolment, value):
    assert desk.post(page_of("overrule", enrolment), {"decision": value}).status_code == 404


def test_sent_feedback_is_shown_with_its_message(desk, enrolment):
    desk.post(
        page_of("write", enrolment), {"action": "send", "text": "Well begun.", "seconds": "90"}
    )
    feedback = Feedback.objects.get()
    assert (feedback.text, feedback.trainer_seconds) == ("Well begun.", 90)
    assert Message.objects.get() == feedback.message
    assert "Well begun." in desk.get(page_of("trainee", enrolment)).content.decode()


def test_preview_shows_the_worker_page(desk, enrolment):
    response = desk.post(
        page_of("write", enrolment), {"action": "preview", "text": "Well begun."}, follow=True
    )
    page = response.content.decode()
    assert "Preview of what the worker will see" in page
    assert "Well begun." in page
    assert "Mark as read" not in page


def test_single_and_bulk_decisions(desk, enrolment):
    decision = {"action": "decide", "verdict": "repeat", "reason": "try again", "sends": "on"}
    desk.post(page_of("write", enrolment), decision)
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.REPEATING
    url = at("decide", enrolment, enrolment.round_id)
    decision = {"verdict": "decline", "enrolment": [enrolment.pk], "reason": "enough"}
    page = desk.post(url, decision).content.decode()
    assert enrolment.worker.pseudonym in page
    assert "Their qualifications for the round are withdrawn." in page
    desk.post(url, decision | {"confirmed": "yes"})
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.DECLINED


def test_feedback_and_decision_are_sent_in_one_step(desk, enrolment):
    decision = {"action": "decide", "verdict": "repeat", "sends": "on", "text": "Well begun."}
    page = desk.post(page_of("write", enrolment), decision, follow=True).content.decode()
    assert "Feedback and decision are on the way" in page
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.REPEATING
    feedback = Feedback.objects.get()
    assert feedback.text == "Well begun."
    assert feedback.sent_at


def test_pass_below_a_threshold_without_feedback_needs_confirmation(desk, enrolment):
    decision = {"action": "decide", "verdict": "pass", "reason": "promising", "text": "Hello."}
    page = desk.post(page_of("write", enrolment), decision).content.decode()
    assert "Thresholds not met: LA F1." in page
    assert "The feedback has not been sent" in page
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.FINISHED
    fields = {"verdict": "pass", "reason": "promising", "sends": "on", "confirmed": "on"}
    desk.post(page_of("confirm", enrolment), fields)
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.PASSED
    feedback = Feedback.objects.get()
    assert feedback.text == "Hello."
    assert feedback.sent_at


def test_decision_without_a_choice_changes_nothing(desk, enrolment):
    page = desk.post(page_of("write", enrolment), {"action": "decide"}, follow=True)
    assert "Choose a decision." in page.content.decode()
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.FINISHED
    assert not Message.objects.exists()


def test_overruled_answer_is_correct_in_the_feedback(client, desk, trainer):
    enrolment = make_evaluated_with_extra_answer(trainer)
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    [value] = re.findall(r'value="(\[\d+, &quot;answer-accepted&quot;, null, [^"]+\])"', page)
    before = desk.get(page_of("preview", enrolment)).content.decode()
    assert "answer-state--extra" in before.partition("</details>")[2]
    desk.post(page_of("overrule", enrolment), {"decision": html.unescape(value)})
    feedback = send_feedback(enrolment=enrolment, trainer=trainer, notes=Notes(), now=LATER)
    worker_page = client.get(link_of(feedback)).content.decode().partition("</details>")[2]
    assert "answer-state--extra" not in worker_page
    assert "answer-state--approved" in worker_page


def test_only_the_first_item_with_differences_is_open(desk, enrolment):
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    folds = re.findall(r"<details\s+(open)?\s*data-fold>(.*?)</summary>", page, re.S)
    differing = ["difference" in summary for _, summary in folds]
    assert any(differing)
    assert [bool(is_open) for is_open, _ in folds].index(True) == differing.index(True)
    assert sum(bool(is_open) for is_open, _ in folds) == 1


def test_bulk_decision_on_another_rounds_worker_is_refused(desk, enrolment):
    other = make_evaluated()
    url = at("decide", enrolment, enrolment.round_id)
    desk.post(url, {"verdict": "decline", "enrolment": [other.pk], "confirmed": "yes"})
    other.refresh_from_db()
    assert other.state == EnrolmentState.FINISHED


def test_requester_sets_up_rounds_from_a_file(db, job_files):
    project = make_project()
    items = make_items(project)
    for item in items:
        item.key = item_key(item.sentence.external_id, str(item.target["verb_idx"]))
        item.save()
    client = Client()
    client.force_login(make_user("rita", project, "requester"))
    rows = "".join(f"{item.sentence.external_id},{item.target['verb_idx']},1\n" for item in items)
    file = SimpleUploadedFile("rounds.csv", f"qasrl_id,verb_idx,round\n{rows}".encode())
    url = reverse("qualification:set_up", args=[project.slug])
    preset = "controlled-crowdsourcing-2020"
    page = client.post(url, {"preset": preset, "file": file}, follow=True)
    assert "Reading rounds.csv" in page.content.decode()
    assert not Round.objects.exists()
    run_jobs()
    assert Round.objects.get().items.count() == 2
    address = page.redirect_chain[-1][0]
    assert "1 round is set up." in client.get(address).content.decode()
    bad = SimpleUploadedFile("rounds.csv", b"qasrl_id,verb_idx,round\nnone,1,1\n")
    client.post(url, {"preset": preset, "file": bad})
    run_jobs()
    assert "Nothing was set up. " in client.get(address).content.decode()
    fragment = client.get(address, headers={"HX-Request": "true"})
    assert fragment.headers["HX-Refresh"] == "true"


def test_requester_invites_and_publishes(db):
    training_round = make_rounds()[0]
    client = Client()
    client.force_login(make_user("rita", training_round.project, "requester"))
    url = reverse("qualification:publish", args=[training_round.project.slug, training_round.pk])
    address = reverse("qualification:invite", args=[training_round.project.slug, training_round.pk])
    client.post(address, {"ids": "A1B2C3, A4"})
    assert "for 2 workers" in client.get(url).content.decode()
    page = client.post(url).content.decode()
    assert "Publish 2 HITs for up to $" in page
    assert not Cohort.objects.exists()
    client.post(url, {"confirmed": "yes"})
    assert Cohort.objects.get().places == 2
    assert Enrolment.objects.filter(cohort__isnull=False).count() == 2


def test_funnel_is_equal_as_csv_and_chart(desk, enrolment):
    rows = list(
        csv.DictReader(io.StringIO(desk.get(at("funnel_csv", enrolment)).getvalue().decode()))
    )
    assert [(row["round"], row["invited"], row["finished"]) for row in rows] == [
        ("Training 1", "1", "1"),
        ("Training 2", "0", "0"),
    ]
    drawn = desk.get(at("funnel_svg", enrolment))
    assert drawn["Content-Type"] == "image/svg+xml"
    assert "Training 2: selected" in drawn.content.decode()


# --- the worker's page


@pytest.fixture
def link(enrolment, trainer):
    item = enrolment.round.items.get(target__verb_idx=CONTAIN)
    notes = Notes("Well begun.", {str(item.pk): "Mind the modal."})
    return link_of(send_feedback(enrolment=enrolment, trainer=trainer, notes=notes, now=LATER))


def test_worker_reads_feedback_without_signing_in(client, link, enrolment):
    response = client.get(link)
    page = response.content.decode()
    assert "Well begun." in page
    assert "Mind the modal." in page
    assert "You found 4 of the 6 answers that the expert marked." in page
    assert "Your average is 2.0 questions per verb." in page
    assert enrolment.worker.external_id not in page
    assert response["Referrer-Policy"] == "no-referrer"


def test_trainer_sees_acknowledgement_and_reply(client, link, desk, enrolment):
    client.post(link, {"acknowledge": "1"})
    assert Feedback.objects.get().acknowledged_at
    client.post(link, {"reply": "Why is “might” needed?"})
    page = desk.get(at("round", enrolment, enrolment.round_id)).content.decode()
    assert "Why is “might” needed?" in page
    assert client.post(link, {"reply": ""}).status_code == 422


def test_altered_link_shows_a_plain_page(client, link):
    response = client.get(link[:-4] + "xyz/")
    assert response.status_code == 404
    assert "This link does not work" in response.content.decode()


# --- email


def test_worker_adds_and_removes_an_email_address(client, link, enrolment, settings):
    assert "Email notifications" not in client.get(link).content.decode()
    assert client.post(link, {"address": "ann@example.org"}).status_code == 422
    settings.MAIL_IS_ON = True
    assert "Save address" in client.get(link).content.decode()
    assert client.post(link, {"address": "no address"}).status_code == 422
    client.post(link, {"address": "ann@example.org"})
    kept = MailAddress.objects.get()
    assert (kept.worker, kept.address) == (enrolment.worker, "ann@example.org")
    assert "ann@example.org" in client.get(link).content.decode()
    settings.MAIL_IS_ON = False
    client.post(link, {"forget": "1"})
    assert not MailAddress.objects.exists()


def test_decision_and_feedback_are_emailed_to_a_known_address(desk, enrolment, settings):
    settings.MAIL_IS_ON = True
    keep_address(worker=enrolment.worker, address="ann@example.org", now=LATER)
    desk.post(page_of("write", enrolment), {"action": "send", "text": "Well begun."})
    decision = {"action": "decide", "verdict": "decline", "reason": "below"}
    desk.post(page_of("confirm", enrolment), decision | {"confirmed": "on"})
    texts = [mail.message.text for mail in Mail.objects.order_by("pk")]
    assert len(texts) == 2
    assert "Your feedback is ready" in texts[0]
    assert "no work was rejected" in texts[1]


def test_failed_email_is_shown_and_resent(desk, enrolment, settings):
    settings.MAIL_IS_ON = True
    keep_address(worker=enrolment.worker, address="ann@example.org", now=LATER)
    desk.post(page_of("write", enrolment), {"action": "send", "text": "Well begun."})
    Mail.objects.update(state="failed", error="550 no such person")
    assert "550 no such person" in desk.get(page_of("trainee", enrolment)).content.decode()
    assert "550 no such person" in desk.get(at("rounds", enrolment)).content.decode()
    mail = Mail.objects.get()
    page = desk.post(at("send_mail_again", enrolment, mail.pk), follow=True).content.decode()
    assert "The email will be resent" in page
    mail.refresh_from_db()
    assert mail.state == "pending"
    again = desk.post(at("send_mail_again", enrolment, mail.pk), follow=True).content.decode()
    assert "t be resent" in again
