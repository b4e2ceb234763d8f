"""Tests of expert queues: their items and the assignment of items to experts."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from annotation.domain.corpus.source_files import ReadOptions
from annotation.models import Item, Sentence, Submission
from audit.domain.change_state import TransitionNotAllowedError
from audit.models import StateChange
from consolidation.domain.experts.expert_queues import (
    QueueSetupError,
    change_queue,
    items_named,
    queues_of,
    read_item_keys,
    sample_of,
    take_next,
    work_left,
)
from consolidation.domain.experts.expert_work import ExpertWorkError, open_queued
from consolidation.models import Gold, Review
from schemes.contract.errors import FileError
from tests.consolidation.experts import make_expert, make_queue, submit_result
from tests.consolidation.factories import (
    IDENTIFIED,
    SURVEY,
    make_generation,
    make_item,
    make_project,
    source,
)
from tests.consolidation.gold import FIRST, SECOND, make_gold_item
from tests.crowd.factories import NOW
from tests.schemes.workbooks import containers

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def items(project):
    return [make_item(SURVEY, IDENTIFIED, project) for _ in range(3)]


@pytest.fixture
def eva():
    return make_expert("eva")


@pytest.fixture
def otto():
    return make_expert("otto")


def take(queue, expert, now=NOW):
    return take_next(queue=queue, expert=expert, now=now)


def annotate(queue, expert, content=FIRST):
    queued = take(queue, expert)
    submit_result(queued, expert, content)
    return queued


def test_each_expert_gets_every_item_once_without_marketplace_work(project, items, eva, otto):
    queue = make_queue(project, items, kind="annotate", experts_per_item=2)
    annotated = {
        expert.username: [annotate(queue, expert).item for _ in items] for expert in (eva, otto)
    }
    assert annotated == {"eva": items, "otto": items}
    assert take(queue, eva) is None
    assert take(queue, make_expert("ina")) is None
    written = Submission.objects.filter(role="expert")
    assert (written.count(), {submission.state for submission in written}) == (6, {"accepted"})
    logged = StateChange.objects.filter(aggregate="annotation.Submission")
    assert (
        sorted(logged.values_list("new", "actor"))
        == [("accepted", "eva")] * 3 + [("accepted", "otto")] * 3
    )


def test_started_item_comes_first_and_is_assigned_once(project, items, eva, otto):
    queue = make_queue(project, items, kind="annotate")
    first = take(queue, eva)
    assert take(queue, eva) == first
    assert take(queue, otto).item == items[1]
    [row] = queues_of(project=project, expert=eva, now=NOW)
    assert (row.started, row.done, row.left, row.finished, row.wanted) == (1, 0, 1, 0, 3)


def test_skipped_item_returns_after_new_items(project, items, eva):
    queue = make_queue(project, items, kind="annotate")
    first = take(queue, eva)
    second = take_next(queue=queue, expert=eva, now=NOW, leaving=first.pk)
    assert second.item == items[1]
    submit_result(second, eva, FIRST)
    third = take_next(queue=queue, expert=eva, now=NOW, leaving=second.pk)
    assert third.item == items[2]
    submit_result(third, eva, FIRST)
    assert take_next(queue=queue, expert=eva, now=NOW, leaving=third.pk) == first
    assert take_next(queue=queue, expert=eva, now=NOW, leaving=first.pk) is None
    assert take(queue, eva) == first


def test_abandoned_item_is_reassigned_and_both_results_count(project, items, eva, otto):
    queue = make_queue(project, items[:1], kind="annotate")
    queued = take(queue, eva)
    assert take(queue, otto, NOW + timedelta(hours=23)) is None
    assert take(queue, otto, NOW + timedelta(hours=25)) == queued
    for expert in (otto, eva):
        submit_result(queued, expert, FIRST, NOW + timedelta(hours=26))
    assert items[0].submissions.filter(role="expert").count() == 2


def test_repeated_submission_counts_once(project, items, eva):
    queue = make_queue(project, items[:1], kind="annotate", makes_gold=True)
    queued = annotate(queue, eva)
    submit_result(queued, eva, SECOND)
    assert (
        Submission.objects.get(role="expert").content["questions"][0]["question"]
        == (FIRST["questions"][0]["question"])
    )
    gold = Gold.objects.get()
    assert (gold.source, gold.version, gold.submission.author) == ("expert", 1, eva)
    assert [origin["state"] for origin in gold.provenance] == ["kept"] * 3


def test_empty_annotation_becomes_gold_without_questions(project, items, eva):
    queue = make_queue(project, items[:1], kind="annotate", makes_gold=True)
    annotate(queue, eva, source(SURVEY, no_question="Not a verb here."))
    assert Gold.objects.get().content == {"questions": []}


def test_expert_who_saw_an_annotation_does_not_annotate_the_item(project, items, eva, otto):
    for item in items[:2]:
        make_generation(item, FIRST)
        make_generation(item, SECOND)
    merges = make_queue(project, items[:1])
    take(merges, eva)
    queue = make_queue(project, items[:2], kind="annotate", experts_per_item=2)
    assert take(queue, eva).item == items[1]
    submit_result(take(queue, eva), eva, FIRST)
    again = make_queue(project, items[:2], kind="annotate", experts_per_item=2)
    assert take(again, eva) is None
    assert take(again, otto).item == items[0]


def test_author_of_a_source_does_not_merge_it(project, items, eva, otto):
    annotate(make_queue(project, items[:1], kind="annotate"), eva)
    queue = make_queue(project, items[:1], sources=["expert"])
    assert take(queue, eva) is None
    with pytest.raises(ExpertWorkError, match="can't work on this item"):
        open_queued(queued=queue.queued.get(), expert=eva, now=NOW)
    assert take(queue, otto).item == items[0]


def test_reviewed_item_is_not_annotated_by_its_reviewer(eva):
    gold = make_gold_item()

    Review.objects.create(gold=gold, state="confirmed", drawn_at=NOW, reviewed_at=NOW, expert=eva)
    queue = make_queue(gold.item.project, [gold.item], kind="annotate")
    assert take(queue, eva) is None


def test_closed_queue_assigns_nothing_and_accepts_started_work(project, items, eva, otto):
    queue = make_queue(project, items, kind="annotate")
    queued = take(queue, eva)
    change_queue(queue=queue, state="closed", actor="office", now=NOW)
    assert take(queue, otto) is None
    assert take(queue, eva) == queued
    submit_result(queued, eva, FIRST)
    with pytest.raises(TransitionNotAllowedError):
        change_queue(queue=queue, state="burnt", actor="office", now=NOW)
    change_queue(queue=queue, state="open", actor="office", now=NOW)
    assert take(queue, otto).item == items[1]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"sources": []}, "at least one source"),
        ({"sources": ["imported"]}, "None of these items"),
        ({"kind": "annotate", "experts_per_item": 0}, "one to nine"),
        ({"kind": "annotate", "experts_per_item": 2, "makes_gold": True}, "merged before"),
    ],
)
def test_invalid_queue_is_refused(project, items, plan, message):
    with pytest.raises(QueueSetupError, match=message):
        make_queue(project, items, **plan)
    with pytest.raises(QueueSetupError, match="at least one item"):
        make_queue(project, [], kind="annotate")


def test_sample_follows_the_shuffle_and_excludes_queued_items(project, items):
    for position, item in enumerate(reversed(items)):
        item.position = position
        item.save(update_fields=["position"])
    first = sample_of(project=project, kind="annotate", count=1)
    assert first == [items[2]]
    make_queue(project, first, kind="annotate")
    assert sample_of(project=project, kind="annotate", count=9) == [items[1], items[0]]
    assert sample_of(project=project, kind="merge", count=9) == items[::-1]
    assert sample_of(project=project, kind="merge", count=9, consolidated=True) == []


def test_sample_covers_as_many_documents_as_possible(project, items):
    for position, (item, group) in enumerate(zip(items, ("d1", "d1", "d2"), strict=True)):
        Item.objects.filter(pk=item.pk).update(position=position)
        Sentence.objects.filter(pk=item.sentence_id).update(group=group)
    assert sample_of(project=project, kind="annotate", count=2) == [items[0], items[2]]
    assert sample_of(project=project, kind="annotate", count=3) == [items[0], items[2], items[1]]


def test_items_of_a_file_are_named(tmp_path, project, items):
    path = tmp_path / "items.csv"
    path.write_text("qasrl_id,verb_idx,round\ns1,9,1\ns2,9,1\ns1,9,2\n")
    keys = read_item_keys(project, path)
    assert len(keys) == 2
    with pytest.raises(QueueSetupError, match="has no item"):
        items_named(project=project, keys=keys)
    assert items_named(project=project, keys=[items[1].key, items[0].key]) == [items[1], items[0]]
    for text in ("qasrl_id\ns1\n", "qasrl_id,verb_idx\n", "\x00"):
        path.write_text(text)
        with pytest.raises(FileError):
            read_item_keys(project, path)


def test_lists_of_items_are_tables_of_any_kind(tmp_path, project):
    for name, content in containers(("qasrl_id", "verb_idx"), [("s1", 9), ("s2", 9)]).items():
        path = tmp_path / name
        path.write_bytes(content)
        assert read_item_keys(project, path) == ["s1/9", "s2/9"], name
    path.write_bytes("Фраза;verb_idx\ns1;9\n".encode("windows-1251"))
    options = ReadOptions(encoding="windows-1251", columns={"qasrl_id": "Фраза"})
    assert read_item_keys(project, path, options=options) == ["s1/9"]


def test_list_with_an_unclosed_quote_is_refused(tmp_path, project):
    path = tmp_path / "items.csv"
    path.write_text('item,note\na:5/1,"unclosed\na:6/1,x\na:7/1,x\n')
    with pytest.raises(FileError, match="line 2: a quoted field that starts here is not closed"):
        read_item_keys(project, path)


def test_queues_are_listed_with_the_same_number_of_queries(
    project, items, eva, django_assert_num_queries
):
    for _ in range(4):
        annotate_all = make_queue(project, items, kind="annotate", experts_per_item=9)
        take(annotate_all, eva)
    with django_assert_num_queries(4):
        assert len(queues_of(project=project, expert=eva, now=NOW)) == 4


def test_setup_queries_do_not_depend_on_the_queue_length(project, items):
    for item in items:
        make_generation(item, FIRST)
    make_queue(project, items)  # creates the staff user
    query_counts = []
    for queue_items in (items[:1], items):
        with CaptureQueriesContext(connection) as queries:
            make_queue(project, queue_items)
        query_counts.append(len(queries))
    assert query_counts[0] == query_counts[1]


def test_queues_count_missing_annotations(project, items, eva):
    for item in items:
        make_generation(item, FIRST)
        make_generation(item, SECOND)
    queue = make_queue(project, items)
    annotations = make_queue(project, items, kind="annotate", experts_per_item=2)
    assert work_left(project=project) == 3 + 6
    logged = StateChange.objects.filter(aggregate="consolidation.Merge")
    assert list(logged.values_list("new", "actor")) == [("open", "office")] * 3
    annotate(annotations, eva)
    assert work_left(project=project) == 3 + 5
    change_queue(queue=queue, state="closed", actor="office", now=NOW)
    assert work_left(project=project) == 5


@pytest.mark.django_db(transaction=True)
def test_concurrent_experts_get_different_items():
    if connection.vendor != "postgresql":
        pytest.skip("rows are locked on PostgreSQL alone")
    project = make_project()
    items = [make_item(SURVEY, IDENTIFIED, project) for _ in range(8)]
    queue = make_queue(project, items, kind="annotate")
    experts = [make_expert(f"expert{number}") for number in range(8)]
    assigned, barrier = [], threading.Barrier(8)

    def take_item(expert):
        barrier.wait()
        assigned.append(take(queue, expert))
        connections.close_all()

    threads = [threading.Thread(target=take_item, args=[expert]) for expert in experts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({queued.pk for queued in assigned}) == 8
