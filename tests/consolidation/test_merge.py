"""Annotations from several sources, merged blind: the expert set, and what survived of whom."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.core.management import call_command

from annotation.domain.import_corpus import item_key
from annotation.domain.item_context import context_of
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.add_gold import add_gold
from consolidation.domain.expert_queues import take_next
from consolidation.domain.expert_work import ExpertWorkError, open_queued
from consolidation.domain.import_gold import import_gold
from consolidation.domain.merge import record_merge, sources_there
from consolidation.domain.merge_report import merge_report, write_report_csv
from consolidation.models import ExpertQueue, Gold, Merge, SystemAnnotation
from projects.command import InputError
from schemes.registry import get_scheme
from tests.consolidation.experts import hand_in, make_expert, make_queue
from tests.consolidation.factories import (
    IDENTIFIED,
    SURVEY,
    make_generation,
    make_item,
    make_project,
    source,
)
from tests.consolidation.gold import FIRST, SECOND
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db
PARSER = (
    "qasrl_id,verb_idx,verb,question,answer_range,answer\n"
    "{id},{verb},identified,Who identified something?,3:10~!~3:7,x~!~y\n"
    "{id},{verb},identified,When did someone identify something?,1:2,1996\n"
)


@pytest.fixture
def item():
    found = make_item(SURVEY, IDENTIFIED, make_project())
    found.key = item_key(found.sentence.external_id, str(IDENTIFIED))
    found.save(update_fields=["key"])
    make_generation(found, FIRST)
    make_generation(found, SECOND)
    return found


@pytest.fixture
def project(item, tmp_path, capsys):
    """With a parser's output and an imported gold beside two generations."""
    path = tmp_path / "parser.csv"
    path.write_text(PARSER.format(id=item.sentence.external_id, verb=IDENTIFIED))
    slug = item.project.slug
    call_command("import_system", slug, path, format="qasrl-csv", system="nrl")
    assert "nrl: 1 items." in capsys.readouterr().out
    gold = {"questions": source(SURVEY, ("What was identified?", ["a basin"]))["questions"]}
    parsed = get_scheme("qasrl").content.parse_gold(gold, context_of(item))
    add_gold(item=item, source="imported", content=parsed, provenance=[{}], now=NOW)
    return item.project


def everything(project) -> list[str]:
    return ["generator", "imported", "system:nrl"]


def judged(merge, keep: dict[tuple[str, str], list[str]]) -> dict:
    """A consolidation that keeps, of the origin and text named, the question with these answers."""
    questions, kept = [], set()
    for row in merge.sources.all():
        for at, one in enumerate(row.content["questions"]):
            wanted = keep.get((row.origin, one["question"]))
            taken = wanted is not None and one["question"] not in kept
            kept |= {one["question"]} if taken else set()
            spans = source(SURVEY, ("?", wanted))["questions"][0]["answers"] if taken else []
            questions.append(
                {
                    "question": one["question"],
                    "answers": spans or one["answers"],
                    "source": {"submission": row.position, "question": at},
                    "verdict": "keep" if taken else "invalid",
                    "same_as": None,
                }
            )
    return {"questions": questions}


def merged(project, item):
    queue = make_queue(project, [item], sources=everything(project))
    expert = make_expert("mia")
    queued = take_next(queue=queue, expert=expert, now=NOW)
    keep = {
        ("system", "Who identified something?"): ["the U.S. Geological Survey"],
        ("imported", "What was identified?"): ["a basin"],
    }
    hand_in(queued, expert, judged(queued.merge, keep))
    return queue, queued


def test_sources_are_shown_alike_and_in_a_seeded_order(project, item):
    queue = make_queue(project, [item], sources=everything(project))
    page = open_queued(queued=queue.queued.get(), expert=make_expert("mia"), now=NOW)
    [shown] = page["items"]
    assert {tuple(sorted(one)) for one in shown["sources"]} == {("no_question", "questions")}
    fields = {tuple(sorted(question)) for one in shown["sources"] for question in one["questions"]}
    assert fields == {("answers", "question", "slots")}
    orders = set()
    for _ in range(8):
        merge = Merge.objects.get(
            queued__queue=make_queue(project, [item], sources=everything(project))
        )
        orders.add(tuple(merge.sources.values_list("origin", flat=True)))
    assert len(orders) > 1
    assert {tuple(sorted(one)) for one in orders} == {
        ("generator", "generator", "imported", "system")
    }


def test_result_is_expert_gold_that_says_where_it_came_from(project, item):
    _, queued = merged(project, item)
    gold = Gold.objects.get(source="expert")
    merge = Merge.objects.get()
    assert (merge.state, merge.gold, str(merge.merged_by)) == ("merged", gold, "mia")
    assert [one["question"] for one in gold.content["questions"]] == [
        one["question"] for one in merge.content["questions"] if one["verdict"] == "keep"
    ]
    states = {
        one["question"]: (origin["state"], [each["state"] for each in origin["answers"]])
        for one, origin in zip(gold.content["questions"], gold.provenance, strict=True)
    }
    assert states == {
        "Who identified something?": ("edited", ["kept"]),
        "What was identified?": ("kept", ["kept"]),
    }
    with pytest.raises(TransitionNotAllowedError):
        record_merge(
            merge=merge, content=merge.content, expert=merge.merged_by, now=queued.queue.created_at
        )


SHARES = ("questions_survived", "answers_survived", "result_share")


def test_report_tells_the_share_of_each_source_that_survived(project, item):
    queue, _ = merged(project, item)
    report = merge_report(queue=queue)
    assert (report.merged, report.waiting, report.rules) == (1, 0, ["qasrl.trace.v1"])
    assert report.totals == {
        "questions": 2,
        "questions_new": 0,
        "answers": 2,
        "answers_edited": 0,
        "answers_new": 0,
    }
    rows = {
        source.title: (source.items, *(source.shares[key] for key in SHARES))
        for source in report.sources
    }
    # Of the generators' six answers "a basin" (twice) and the survey's name alone stand.
    assert rows == {
        "workers' generations": (1, 0.0, pytest.approx(3 / 6), pytest.approx(3 / 4)),
        "imported gold": (1, 1.0, 1.0, 0.5),
        "system nrl": (1, 0.5, pytest.approx(1 / 3), 0.5),
    }
    file = io.StringIO()
    write_report_csv(report, file)
    lines = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert [line["source"] for line in lines] == list(rows)
    assert lines[1]["answers_survived"] == "1.0"


def test_merge_that_somebody_finished_is_nobody_elses(project, item):
    queue = make_queue(project, [item], sources=everything(project))
    first, second = make_expert("ina"), make_expert("olga")
    queued = take_next(queue=queue, expert=first, now=NOW)
    with pytest.raises(ExpertWorkError):
        hand_in(queued, second, judged(queued.merge, {}))
    hand_in(queued, first, judged(queued.merge, {}))
    with pytest.raises(ExpertWorkError):
        hand_in(queued, second, judged(queued.merge, {}))
    assert Gold.objects.filter(source="expert").count() == 1


def test_sources_stay_as_they_were_when_the_queue_was_set_up(project, item):
    queue = make_queue(project, [item], sources=["system:nrl"])
    SystemAnnotation.objects.update(content={"questions": []})
    [row] = queue.queued.get().merge.sources.all()
    assert len(row.content["questions"]) == 2


def test_expert_set_is_exported_and_read_back_equal(project, item, tmp_path):
    merged(project, item)
    call_command(
        "export_gold", project.slug, format="qasrl-csv", source="expert", out=str(tmp_path)
    )
    before = Gold.objects.get(source="expert").content
    [path] = tmp_path.glob("*.gold.csv")
    report = import_gold(
        project=project,
        paths=[path],
        fmt="qasrl-csv",
        source="expert",
        on_error=lambda error: pytest.fail(str(error)),
        now=NOW,
    )
    assert (report.added, report.known) == (0, 1)
    assert Gold.objects.get(source="expert").content == before
    for fmt in ("qasrl-bank", "jsonl"):
        out = tmp_path / fmt
        call_command("export_gold", project.slug, format=fmt, source="expert", out=str(out))


def test_system_output_with_bad_rows_is_imported_without_them(project, item, tmp_path, capsys):
    path = tmp_path / "more.csv"
    good = PARSER.format(id=item.sentence.external_id, verb=IDENTIFIED)
    path.write_text(
        good + f"nowhere,1,is,Who is?,0:1,x\n{item.sentence.external_id},8,x,Who?,0:99,x\n"
    )
    call_command("import_system", project.slug, path, format="qasrl-csv", system="nrl", json=True)
    told = capsys.readouterr()
    assert json.loads(told.out)["added"] == 1
    assert told.err.count("more.csv") == 2
    assert SystemAnnotation.objects.count() == 1
    assert "system nrl" in sources_there(project=project).values()


def test_command_sets_up_a_queue(project, item, tmp_path, capsys):
    office = make_expert("office")
    items = tmp_path / "items.csv"
    items.write_text(f"qasrl_id,verb_idx\n{item.sentence.external_id},{IDENTIFIED}\n")
    named = {"by": office.username, "json": True}
    call_command("expert_queue", project.slug, "Round 1", items=items, experts=2, **named)
    assert json.loads(capsys.readouterr().out)["items"] == 1
    sources = everything(project)
    call_command(
        "expert_queue", project.slug, "Set", kind="merge", as_in="Round 1", sources=sources, **named
    )
    assert ExpertQueue.objects.get(title="Set").queued.get().merge.sources.count() == 4
    with pytest.raises(InputError, match="no source 'sytem:nrl'"):
        call_command(
            "expert_queue",
            project.slug,
            "X",
            kind="merge",
            sample=3,
            sources=["sytem:nrl"],
            **named,
        )


def test_of_two_who_hand_in_late_the_first_counts(project, item):
    """A seat left for a day is another's; who comes back to it is told, and nothing is merged twice."""
    queue = make_queue(project, [item], sources=everything(project))
    first, second = make_expert("ina"), make_expert("olga")
    queued = take_next(queue=queue, expert=first, now=NOW)
    later = NOW + timedelta(hours=25)
    assert take_next(queue=queue, expert=second, now=later) == queued
    hand_in(queued, first, judged(queued.merge, {}), later)
    with pytest.raises(ExpertWorkError, match="already merged this item"):
        hand_in(queued, second, judged(queued.merge, {}), later)
    assert take_next(queue=queue, expert=second, now=later) is None
    assert Gold.objects.filter(source="expert").count() == 1
