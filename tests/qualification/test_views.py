"""The trainer's pages and the worker's feedback, over HTTP."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.domain.import_corpus import item_key
from consolidation.models import Decision
from crowd.models import Message
from qualification.domain.feedback import Notes, link_of, send_feedback
from qualification.enums import EnrolmentState
from qualification.models import Enrolment, Feedback, Intake, Round
from tests.consolidation.factories import CONTAIN, SURVEY, make_project, span_of
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    LATER,
    make_evaluated,
    make_items,
    make_rounds,
    open_round,
    work_through,
)

pytestmark = pytest.mark.django_db


def at(name, enrolment, *more):
    return reverse(f"qualification:{name}", args=[enrolment.round.project.slug, *more])


def page_of(name, enrolment):
    return at(name, enrolment, enrolment.round_id, enrolment.worker.pseudonym)


def test_desk_shows_figures_and_a_suggestion(desk, enrolment):
    page = desk.get(at("round", enrolment, enrolment.round_id)).content.decode()
    assert enrolment.worker.pseudonym in page
    assert "80.0" in page
    assert "decline or repeat" in page  # an LA F1 of 60 does not reach 65


@pytest.mark.parametrize("sort", ["UA.f1", "-UA.f1", "state", "worker", "nonsense", "-"])
def test_desk_sorts_by_any_column_and_survives_others(desk, enrolment, sort):
    url = at("round", enrolment, enrolment.round_id)
    assert desk.get(url, {"sort": sort, "state": "finished"}).status_code == 200


def test_desk_filters_by_state(desk, enrolment):
    url = at("round", enrolment, enrolment.round_id)
    page = desk.get(url, {"state": "passed"}).content.decode()
    assert "Nobody in this round is like that" in page


def grow(enrolment, workers):
    extra = [make_worker() for _ in range(workers)]
    intake = open_round(enrolment.round, extra)
    for worker in extra:
        work_through(intake, worker)


def test_number_of_queries_does_not_grow_with_the_workers(
    desk, enrolment, django_assert_max_num_queries
):
    urls = [at("round", enrolment, enrolment.round_id), page_of("trainee", enrolment)]
    counts = []
    for workers in (2, 6):
        grow(enrolment, workers)
        for url in urls:
            with django_assert_max_num_queries(60) as counted:
                assert desk.get(url).status_code == 200
            counts.append(len(counted.captured_queries))
    assert counts[:2] == counts[2:]


def test_number_of_queries_does_not_grow_with_the_items(
    desk, django_assert_max_num_queries, trainer
):
    counts = []
    for pairs in (1, 8):
        enrolment = make_evaluated(pairs=pairs)
        enrolment.round.project.memberships.create(user=trainer, role="trainer")
        with django_assert_max_num_queries(60) as counted:
            assert desk.get(page_of("trainee", enrolment)).status_code == 200
        counts.append(len(counted.captured_queries))
    assert counts[0] == counts[1]


def test_trainee_page_words_every_state(desk, enrolment):
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    for word in ("found", "missed", "other question", "span differs", "answer too long"):
        assert f">{word}<" in page
    assert "answer not split" in page


def test_overrule_keeps_what_was_written_and_corrects(desk, enrolment):
    item = enrolment.round.items.get(target__verb_idx=CONTAIN)
    span = "-".join(map(str, span_of(SURVEY, "that basin")))
    response = desk.post(
        page_of("overrule", enrolment),
        {
            "decision": f"{item.pk}|label-accepted|{span}|{span}",
            f"note-{item.pk}": "Mind the modal.",
            "seconds": "40",
        },
    )
    assert response.url.endswith(f"#item-{item.pk}")
    assert Feedback.objects.get().notes == {str(item.pk): "Mind the modal."}
    page = desk.get(page_of("trainee", enrolment)).content.decode()
    assert "LA, corrected" in page
    decision = Decision.objects.get()
    desk.post(page_of("overrule", enrolment), {"take_back": f"{item.pk}|{decision.pk}"})
    assert not Decision.objects.exists()


@pytest.mark.parametrize("told", ["", "1|x", "1|pair-accepted|0-1|", "x|y|z"])
def test_decision_that_no_button_sends_is_not_found(desk, enrolment, told):
    assert desk.post(page_of("overrule", enrolment), {"decision": told}).status_code == 404


def test_send_leaves_a_message_and_the_page_shows_it(desk, enrolment):
    desk.post(
        page_of("write", enrolment), {"action": "send", "text": "Well begun.", "seconds": "90"}
    )
    feedback = Feedback.objects.get()
    assert (feedback.text, feedback.trainer_seconds) == ("Well begun.", 90)
    assert Message.objects.get() == feedback.message
    assert "Well begun." in desk.get(page_of("trainee", enrolment)).content.decode()


def test_preview_shows_what_the_worker_will_see(desk, enrolment):
    response = desk.post(
        page_of("write", enrolment), {"action": "preview", "text": "Well begun."}, follow=True
    )
    page = response.content.decode()
    assert "This is what the worker will see" in page
    assert "Well begun." in page
    assert "I have read this" not in page


def test_decision_on_one_and_on_many(desk, enrolment):
    desk.post(page_of("write", enrolment), {"action": "repeat", "reason": "try again"})
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.REPEATING
    url = at("decide", enrolment, enrolment.round_id)
    desk.post(url, {"verdict": "decline", "enrolment": [enrolment.pk], "reason": "enough"})
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.DECLINED


def test_bulk_decision_on_another_rounds_worker_is_refused(desk, enrolment):
    other = make_evaluated()
    url = at("decide", enrolment, enrolment.round_id)
    desk.post(url, {"verdict": "decline", "enrolment": [other.pk]})
    other.refresh_from_db()
    assert other.state == EnrolmentState.FINISHED


def test_requester_sets_up_rounds_from_a_file(db):
    project = make_project()
    items = make_items(project)
    for one in items:
        one.key = item_key(one.sentence.external_id, str(one.target["verb_idx"]))
        one.save()
    client = Client()
    client.force_login(make_user("rita", project, "requester"))
    rows = "".join(f"{one.sentence.external_id},{one.target['verb_idx']},1\n" for one in items)
    file = SimpleUploadedFile("rounds.csv", f"qasrl_id,verb_idx,round\n{rows}".encode())
    url = reverse("qualification:set_up", args=[project.slug])
    preset = "controlled-crowdsourcing-2020"
    assert client.post(url, {"preset": preset, "file": file}).status_code == 302
    assert Round.objects.get().items.count() == 2
    bad = SimpleUploadedFile("rounds.csv", b"qasrl_id,verb_idx,round\nnone,1,1\n")
    assert client.post(url, {"preset": preset, "file": bad}).status_code == 422


def test_requester_invites_and_publishes(db):
    one = make_rounds()[0]
    client = Client()
    client.force_login(make_user("rita", one.project, "requester"))
    url = reverse("qualification:publish", args=[one.project.slug, one.pk])
    client.post(url, {"invite": "1", "workers": "A1B2C3, A4"})
    assert "for 2 workers" in client.get(url).content.decode()
    client.post(url)
    assert Intake.objects.get().seats == 2
    assert Enrolment.objects.filter(intake__isnull=False).count() == 2


def test_funnel_is_the_same_as_csv_and_as_a_drawing(desk, enrolment):
    rows = list(csv.DictReader(io.StringIO(desk.get(at("funnel_csv", enrolment)).content.decode())))
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


def test_worker_reads_it_without_a_login(client, link, enrolment):
    response = client.get(link)
    page = response.content.decode()
    assert "Well begun." in page
    assert "Mind the modal." in page
    assert "you found <b>4 of 6</b>" in page
    assert enrolment.worker.external_id not in page
    assert response["Referrer-Policy"] == "no-referrer"


def test_worker_acknowledges_and_asks_back_and_the_trainer_sees_it(client, link, desk, enrolment):
    client.post(link, {"acknowledge": "1"})
    assert Feedback.objects.get().acknowledged_at
    client.post(link, {"question": "Why is “might” needed?"})
    page = desk.get(at("round", enrolment, enrolment.round_id)).content.decode()
    assert "Why is “might” needed?" in page
    assert client.post(link, {"question": ""}).status_code == 422


def test_altered_link_shows_a_plain_page(client, link):
    response = client.get(link[:-4] + "xyz/")
    assert response.status_code == 404
    assert "This link does not work" in response.content.decode()
