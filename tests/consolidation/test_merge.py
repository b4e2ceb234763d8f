"""Tests of blind merges of several sources, and of the share of each source that survives."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.core.management import call_command

from annotation.domain.corpus.check_corpus import item_key
from annotation.domain.corpus.item_context import context_of
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.experts.expert_queues import take_next
from consolidation.domain.experts.expert_work import ExpertWorkError, open_queued
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.import_gold import import_gold
from consolidation.domain.gold.merge import record_merge, sources_there
from consolidation.domain.gold.merge_report import merge_report, write_report_csv
from consolidation.models import ExpertQueue, Gold, Merge, SystemAnnotation
from projects.command import InputError
from schemes.registry import get_scheme
from tests.consolidation.experts import make_expert, make_queue, submit_result
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
    "{id},{verb},identified,Who identified something?,3:10~!~3:7,"
    "the U.S. Geological Survey ( USGS )~!~the U.S. Geological Survey\n"
    "{id},{verb},identified,When did someone identify something?,1:2,1996\n"
)


@pytest.fixture
def item():
    row = make_item(SURVEY, IDENTIFIED, make_project())
    row.key = item_key(row.sentence.external_id, str(IDENTIFIED))
    row.save(update_fields=["key"])
    make_generation(row, FIRST)
    make_generation(row, SECOND)
    return row


@pytest.fixture
def project(item, tmp_path, capsys):
    """Create a project with a parser's output and imported gold, besides two generations."""
    path = tmp_path / "parser.csv"
    path.write_text(PARSER.format(id=item.sentence.external_id, verb=IDENTIFIED))
    slug = item.project.slug
    call_command("import_system", slug, path, format="qasrl-csv", system="nrl")
    assert "nrl: 1 items." in capsys.readouterr().out
    gold = {"questions": source(SURVEY, ("What was identified?", ["a basin"]))["questions"]}
    parsed = get_scheme("qasrl").content.parse_gold(gold, context_of(item))
    add_gold(item=item, source="imported", content=parsed, provenance=[{}], now=NOW)
    return item.project


def all_origins(project) -> list[str]:
    return ["generator", "imported", "system:nrl"]


def merged_content(merge, keep: dict[tuple[str, str], list[str]]) -> dict:
    """Return a consolidation that keeps, for each origin and question text, the given answers."""
    questions, kept = [], set()
    for row in merge.sources.all():
        for at, question in enumerate(row.content["questions"]):
            answers = keep.get((row.origin, question["question"]))
            is_kept = answers is not None and question["question"] not in kept
            kept |= {question["question"]} if is_kept else set()
            spans = source(SURVEY, ("?", answers))["questions"][0]["answers"] if is_kept else []
            questions.append(
                {
                    "question": question["question"],
                    "answers": spans or question["answers"],
                    "source": {"submission": row.position, "question": at},
                    "verdict": "keep" if is_kept else "invalid",
                    "same_as": None,
                }
            )
    return {"questions": questions}


def merge_as_expert(project, item):
    queue = make_queue(project, [item], sources=all_origins(project))
    expert = make_expert("mia")
    queued = take_next(queue=queue, expert=expert, now=NOW)
    keep = {
        ("system", "Who identified something?"): ["the U.S. Geological Survey"],
        ("imported", "What was identified?"): ["a basin"],
    }
    submit_result(queued, expert, merged_content(queued.merge, keep))
    return queue, queued


def test_sources_look_alike_in_a_seeded_order(project, item):
    queue = make_queue(project, [item], sources=all_origins(project))
    page = open_queued(queued=queue.queued.get(), expert=make_expert("mia"), now=NOW)
    [item_data] = page["items"]
    assert {tuple(sorted(source_data)) for source_data in item_data["sources"]} == {
        ("no_question", "questions")
    }
    fields = {
        tuple(sorted(entry))
        for source_data in item_data["sources"]
        for entry in source_data["questions"]
    }
    assert fields == {("answers", "question", "slots")}
    orders = set()
    for _ in range(8):
        merge = Merge.objects.get(
            queued__queue=make_queue(project, [item], sources=all_origins(project))
        )
        orders.add(tuple(merge.sources.values_list("origin", flat=True)))
    assert len(orders) > 1
    assert {tuple(sorted(order)) for order in orders} == {
        ("generator", "generator", "imported", "system")
    }


def test_result_is_expert_gold_with_its_provenance(project, item):
    _, queued = merge_as_expert(project, item)
    gold = Gold.objects.get(source="expert")
    merge = Merge.objects.get()
    assert (merge.state, merge.gold, str(merge.merged_by)) == ("merged", gold, "mia")
    assert [question["question"] for question in gold.content["questions"]] == [
        question["question"]
        for question in merge.content["questions"]
        if question["verdict"] == "keep"
    ]
    states = {
        question["question"]: (origin["state"], [answer["state"] for answer in origin["answers"]])
        for question, origin in zip(gold.content["questions"], gold.provenance, strict=True)
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


def test_report_shows_the_surviving_share_of_each_source(project, item):
    queue, _ = merge_as_expert(project, item)
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
    # Of the generators' six answers, only "a basin" (twice) and the survey's name survive.
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


def test_finished_merge_is_not_assigned_again(project, item):
    queue = make_queue(project, [item], sources=all_origins(project))
    first, second = make_expert("ina"), make_expert("olga")
    queued = take_next(queue=queue, expert=first, now=NOW)
    with pytest.raises(ExpertWorkError):
        submit_result(queued, second, merged_content(queued.merge, {}))
    submit_result(queued, first, merged_content(queued.merge, {}))
    with pytest.raises(ExpertWorkError):
        submit_result(queued, second, merged_content(queued.merge, {}))
    assert Gold.objects.filter(source="expert").count() == 1


def test_sources_stay_unchanged_after_the_setup(project, item):
    queue = make_queue(project, [item], sources=["system:nrl"])
    SystemAnnotation.objects.update(content={"questions": []})
    [row] = queue.queued.get().merge.sources.all()
    assert len(row.content["questions"]) == 2


def test_exported_expert_gold_is_imported_unchanged(project, item, tmp_path):
    merge_as_expert(project, item)
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


def test_system_output_is_imported_without_invalid_rows(project, item, tmp_path, capsys):
    path = tmp_path / "more.csv"
    good = PARSER.format(id=item.sentence.external_id, verb=IDENTIFIED)
    path.write_text(
        good + f"nowhere,1,is,Who is?,0:1,x\n{item.sentence.external_id},8,x,Who?,0:99,x\n"
    )
    call_command("import_system", project.slug, path, format="qasrl-csv", system="nrl", json=True)
    output = capsys.readouterr()
    assert json.loads(output.out)["added"] == 1
    assert output.err.count("more.csv") == 2
    assert SystemAnnotation.objects.count() == 1
    assert "system nrl" in sources_there(project=project).values()


def test_command_sets_up_a_queue(project, item, tmp_path, capsys):
    office = make_expert("office")
    items = tmp_path / "items.csv"
    items.write_text(f"qasrl_id,verb_idx\n{item.sentence.external_id},{IDENTIFIED}\n")
    named = {"by": office.username, "json": True}
    call_command("expert_queue", project.slug, "Round 1", items=items, experts=2, **named)
    assert json.loads(capsys.readouterr().out)["items"] == 1
    sources = all_origins(project)
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


def test_first_of_two_late_results_counts(project, item):
    """A merge abandoned for a day is reassigned, and only the first result is stored."""
    queue = make_queue(project, [item], sources=all_origins(project))
    first, second = make_expert("ina"), make_expert("olga")
    queued = take_next(queue=queue, expert=first, now=NOW)
    later = NOW + timedelta(hours=25)
    assert take_next(queue=queue, expert=second, now=later) == queued
    submit_result(queued, first, merged_content(queued.merge, {}), later)
    with pytest.raises(ExpertWorkError, match="already merged this item"):
        submit_result(queued, second, merged_content(queued.merge, {}), later)
    assert take_next(queue=queue, expert=second, now=later) is None
    assert Gold.objects.filter(source="expert").count() == 1
