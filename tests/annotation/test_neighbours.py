"""The neighbours of a sentence in its document: which ones, on which pages, and at what price."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.domain.corpus.neighbours import MAX_CHARACTERS, MAX_SENTENCES, neighbours_of
from annotation.models import Item, Sentence
from consolidation.domain.gold.add_gold import add_gold
from projects.enums import MemberRole
from projects.models import Project
from qualification.domain.training.feedback import Notes, link_of, send_feedback
from schemes.contract.items import Neighbours
from tests.annotation.factories import make_item, make_project, make_task, task_url
from tests.annotation.page_data import page_data
from tests.browser.custom import NAMES, make_custom_project, make_texts
from tests.browser.grounding import make_caption, make_grounding_project
from tests.consolidation.experts import make_queue
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.qualification.factories import EXPERT, LATER, make_evaluated
from tests.schemes.frames.projects import import_sample, make_frames_project, make_record

pytestmark = pytest.mark.django_db
ORIGIN = "http://127.0.0.1:8000"


@pytest.fixture
def project() -> Project:
    return make_project()


def write(project: Project, document: str, *texts: str) -> list[Sentence]:
    """Add a document. Its sentences are written in reverse, so that only their place orders them."""
    sentences = [
        Sentence.objects.create(
            project=project,
            external_id=f"{document}:{at}",
            tokens=text.replace(".", " .").split(),
            text=text,
            group=document,
            position=at,
        )
        for at, text in reversed(list(enumerate(texts)))
    ]
    return sentences[::-1]


def show(project: Project, choice: str) -> None:
    project.shown_context = choice
    project.save()


def texts(neighbours: Neighbours) -> tuple[list[str], list[str]]:
    return (
        [neighbour.shown_text for neighbour in neighbours.before],
        [neighbour.shown_text for neighbour in neighbours.after],
    )


@pytest.mark.parametrize(
    ("choice", "before", "after"),
    [
        ("1", ["B."], ["D."]),
        ("3", ["A.", "B."], ["D.", "E.", "F."]),
        ("document", ["A.", "B."], ["D.", "E.", "F.", "G."]),
    ],
)
def test_neighbours_are_those_of_the_document_in_their_order(project, choice, before, after):
    sentences = write(project, "letters", "A.", "B.", "C.", "D.", "E.", "F.", "G.")
    write(project, "numbers", "1.", "2.", "3.")
    write(make_project("other"), "letters", "X.", "Y.", "Z.")
    show(project, choice)
    found = neighbours_of(project=project, sentences=[sentences[2]])
    assert texts(found[sentences[2].pk]) == (before, after)


def test_sentences_without_a_place_are_in_the_order_of_import(project):
    first, middle, last = (
        Sentence.objects.create(project=project, external_id=name, tokens=[name], group="d")
        for name in ("z", "y", "x")
    )
    show(project, "5")
    found = neighbours_of(project=project, sentences=[first, middle, last])
    assert [texts(found[row.pk]) for row in (first, middle, last)] == [
        ([], ["y", "x"]),
        (["z"], ["x"]),
        (["z", "y"], []),
    ]


def test_nothing_is_read_or_shown_without_a_setting_or_a_document(
    project, django_assert_num_queries
):
    (sentence, _) = write(project, "d", "A.", "B.")
    with django_assert_num_queries(0):
        assert neighbours_of(project=project, sentences=[sentence]) == {}
    show(project, "1")
    alone = make_item(project).sentence
    with django_assert_num_queries(0):
        assert neighbours_of(project=project, sentences=[alone]) == {}


def test_all_sentences_of_a_page_take_one_query(project, django_assert_num_queries):
    sentences = write(project, "d", *(f"Sentence {at}." for at in range(40)))
    show(project, "2")
    with django_assert_num_queries(1):
        found = neighbours_of(project=project, sentences=sentences)
    assert len(found) == 40


def test_long_document_is_cut_around_the_sentence(project):
    sentences = write(project, "d", *(f"Sentence {at}." for at in range(3 * MAX_SENTENCES)))
    show(project, "document")
    middle = sentences[MAX_SENTENCES + 50]
    found = neighbours_of(project=project, sentences=[middle])[middle.pk]
    assert (len(found.before), len(found.after)) == (MAX_SENTENCES, MAX_SENTENCES)
    assert (found.is_cut_before, found.is_cut_after) == (True, True)
    assert found.before[-1].shown_text == f"Sentence {MAX_SENTENCES + 49}."


def test_long_sentences_never_exceed_the_room_of_a_page(project):
    long = "word " * (MAX_CHARACTERS // 15)
    sentences = write(project, "d", long, long, "Short.", long, long)
    show(project, "document")
    found = neighbours_of(project=project, sentences=[sentences[2]])[sentences[2].pk]
    shown = [*found.before, *found.after]
    assert 0 < sum(len(row.shown_text) for row in shown) <= MAX_CHARACTERS
    assert (found.is_cut_before, found.is_cut_after) == (True, True)


# --- pages


def put_into_document(item: Item) -> None:
    """Give the item's sentence a neighbour on either side."""
    show(item.project, "1")
    sentence = item.sentence
    sentence.group, sentence.position = "a letter", 1
    sentence.save()
    fields = {"project": item.project, "group": "a letter", "image": sentence.image}
    for at, text in ((0, "“Come  here!”"), (2, "Nobody came.")):
        Sentence.objects.create(
            external_id=f"neighbour:{at}", tokens=["?"], text=text, position=at, **fields
        )


def frames_item() -> Item:
    project = make_frames_project()
    import_sample(project)
    return make_record(project)


SCHEMES = {
    "qasrl": lambda: make_item(make_project()),
    "frames": frames_item,
    "grounding": lambda: make_caption(make_grounding_project()),
    "custom": lambda: make_texts(make_custom_project(NAMES), NAMES),
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("is_preview", [False, True])
def test_workers_page_has_the_context(client, scheme, is_preview):
    item = SCHEMES[scheme]()
    put_into_document(item)
    url = task_url(make_task([item]), submit_to=ORIGIN)
    if is_preview:
        url = url.replace("assignmentId=A1", "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    html = client.get(url).content.decode()
    data = page_data(html)
    assert data["preview"] is is_preview
    assert data["items"][0]["context"] == {
        "before": ["“Come  here!”"],
        "after": ["Nobody came."],
        "cutBefore": False,
        "cutAfter": False,
        "summary": "1 sentence before, 1 sentence after",
    }
    assert "data-context-text" in html


def test_page_without_context_loads_nothing_of_it(client):
    html = client.get(task_url(make_task([SCHEMES["qasrl"]()]), submit_to=ORIGIN)).content.decode()
    assert "context.css" not in html
    assert "context" not in page_data(html)["items"][0]


def test_context_costs_the_workers_page_one_query(client):
    item = SCHEMES["qasrl"]()
    url = task_url(make_task([item]), submit_to=ORIGIN)
    client.get(url)  # assigns what the first visit assigns

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(url)
        return len(queries)

    without = count()
    put_into_document(item)
    assert count() == without + 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_experts_page_has_the_context(client, scheme):
    item = SCHEMES[scheme]()
    put_into_document(item)
    client.force_login(make_user("erik", item.project, MemberRole.EXPERT))
    queued = make_queue(item.project, [item], kind="annotate", sources=[]).queued.get()
    url = reverse("consolidation:expert_item", args=[item.project.slug, queued.pk])
    data = page_data(client.get(url).content.decode())
    assert data["items"][0]["context"]["before"] == ["“Come  here!”"]


def assert_shown(html: str) -> None:
    assert "“Come  here!”" in html
    assert "1 sentence before, 1 sentence after" in html


@pytest.mark.parametrize("name", ["consolidation:item", "datasets:gold_sentence"])
def test_staff_read_the_context_of_an_item(client, name):
    item = SCHEMES["qasrl"]()
    put_into_document(item)
    add_gold(item=item, source="expert", content={"questions": []}, provenance=[], now=NOW)
    client.force_login(make_user("rita", item.project, MemberRole.REQUESTER))
    pk = item.sentence_id if name == "datasets:gold_sentence" else item.pk
    assert_shown(client.get(reverse(name, args=[item.project.slug, pk])).content.decode())


def test_trainer_and_worker_read_the_context_of_each_item(client):
    enrolment = make_evaluated(EXPERT)
    project = enrolment.round.project
    put_into_document(enrolment.round.items.first())
    trainer = make_user("tina", project, MemberRole.TRAINER)
    client.force_login(trainer)
    args = [project.slug, enrolment.round_id, enrolment.worker.pseudonym]
    assert_shown(client.get(reverse("qualification:trainee", args=args)).content.decode())
    feedback = send_feedback(
        enrolment=enrolment, trainer=trainer, notes=Notes(text="Good work"), now=LATER
    )
    client.logout()
    assert_shown(client.get(link_of(feedback)).content.decode())
