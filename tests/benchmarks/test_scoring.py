"""Entries are scored on the frozen rows, with the figures of the project's own commands."""

import json
import math
import re
from itertools import cycle

import pytest
from django.core.management import call_command

from benchmarks.domain.errors import BenchmarkError
from benchmarks.domain.leaderboard import leaderboard_of
from benchmarks.domain.open_benchmark import open_benchmark, reason_against
from benchmarks.domain.queries import scoring_of
from benchmarks.enums import EntryState
from benchmarks.models import Benchmark
from consolidation.domain.gold.add_gold import add_gold
from datasets.domain.systems.evaluate_systems import REPETITIONS
from metrics.document_bootstrap import compare_systems
from schemes.registry import get_scheme
from tests.benchmarks.samples import (
    SCORED,
    first_variant,
    gold_text,
    inputs_of,
    make_benchmark,
    make_team,
    make_terms,
    phase_of,
    predictions,
    send,
)
from tests.crowd.factories import NOW
from tests.datasets.test_evaluate_systems import figures_of_command
from tests.datasets.test_reproduce import figures as figures_of_release
from tests.releases.projects import make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]


@pytest.mark.parametrize("scheme", SCORED)
def test_figures_are_those_of_the_evaluate_command(scheme, tmp_path, capsys):
    benchmark = make_benchmark(scheme, tmp_path)
    phase = phase_of(benchmark)
    gold = gold_text(phase, tmp_path / "gold")
    text = predictions(scheme, gold)
    entry = send(make_team(benchmark), phase, text)
    assert (entry.state, entry.error) == (EntryState.SCORED, "")

    names = {"qasrl": "gold.csv", "frames": "gold.task-a.txt", "grounding": "gold.jsonl"}
    reference = tmp_path / "gold" / names[scheme]
    system = tmp_path / f"system{reference.suffix}"
    system.write_text(text, "utf-8")
    if scheme == "grounding":
        expected = _grounding_figures(reference, system, capsys, tmp_path)
    else:
        expected = figures_of_command(
            benchmark.release.project, reference, system, capsys, tmp_path
        )
    figures = {key: figure["value"] for key, figure in entry.figures.items()}
    assert figures == {key: expected[key] for key in figures}
    assert any(value not in (None, 0.0, 1.0) for value in figures.values())


@pytest.mark.parametrize("variant", ["A", "B.1", "B.2"])
def test_figures_of_frames_are_those_of_the_reproduced_table(variant, tmp_path):
    benchmark = make_benchmark("frames", tmp_path)
    phase = phase_of(benchmark)
    (tmp_path / "release").mkdir()
    gold = gold_text(phase, tmp_path / "release" / "gold", variant)
    # The number of clusters differs between systems, and so do all figures.
    text = predictions("frames", gold) if variant == "A" else _with_other_labels(gold)
    entry = send(make_team(benchmark), phase, text, variant=variant)
    assert (entry.state, entry.error) == (EntryState.SCORED, "")
    system = tmp_path / "release" / "team" / "system.txt"
    system.parent.mkdir()
    system.write_text(text, "utf-8")
    reproduced = {
        figure.removeprefix("system.txt, "): value
        for (table, figure), (_, value, _) in figures_of_release(
            "frames", system.parents[1]
        ).items()
        if table == f"Table 6, task {variant}" and figure.startswith("system.txt, ")
    }
    titles = {measure.key: measure.title for measure in scoring_of(benchmark).measures}
    shown = {f"{titles[key]} %": 100 * row["value"] for key, row in entry.figures.items()}
    shown = {name[0].lower() + name[1:] if name[1] != "C" else name: v for name, v in shown.items()}
    assert shown == pytest.approx({name: reproduced[name] for name in shown})
    assert len(shown) == 6
    assert min(shown.values()) < 100


def _with_other_labels(gold: str) -> str:
    """Return the records with one frame and three labels of arguments, in turn."""
    labels = cycle("abc")
    text = re.sub(r"(-:-[0-9_]+-:-)[^ \n]+", lambda match: match[1] + next(labels), gold)
    return re.sub(r"\.[A-Za-z_]+ ", ".x ", text) if "na " not in text else text


def _grounding_figures(reference, system, capsys, folder):
    gold = {line["id"]: line for line in map(json.loads, reference.read_text().splitlines())}
    lines = [
        {**gold[line["id"]], **line} for line in map(json.loads, system.read_text().splitlines())
    ]
    phrases = folder / "phrases.jsonl"
    phrases.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    call_command("evaluate", "grounding", str(phrases), "--json")
    figures = json.loads(capsys.readouterr().out)
    return {
        f"{metric}_{group}": figures[metric][group]["accuracy"]
        for metric in ("iou", "c_iou")
        for group in ("all", "singular", "plural")
    }


@pytest.mark.parametrize("scheme", SCORED)
def test_intervals_and_tests_are_those_of_evaluations_of_systems(scheme, tmp_path):
    benchmark = make_benchmark(scheme, tmp_path)
    phase = phase_of(benchmark)
    gold = gold_text(phase, tmp_path / "gold")
    texts = {
        "strong": predictions(scheme, gold, share=0.9),
        "weak": predictions(scheme, gold, share=0.3),
    }
    for name, text in texts.items():
        send(make_team(benchmark, name), phase, text, system=name)
    board = leaderboard_of(phase=phase, variant=first_variant(phase))
    assert [row.entry.system for row in board.rows] == ["strong", "weak"]

    paths = []
    for name, text in texts.items():
        paths.append(
            tmp_path / f"{name}.{ {'qasrl': 'csv', 'frames': 'txt', 'grounding': 'jsonl'}[scheme] }"
        )
        paths[-1].write_text(text, "utf-8")
    scoring = get_scheme(scheme).get_scoring()
    [reference] = [
        path
        for path in (tmp_path / "gold").iterdir()
        if path.name in ("gold.csv", "gold.task-a.txt", "gold.jsonl")
    ]
    scored = scoring.score(
        reference=[reference], systems=paths, variant=first_variant(phase)
    ).systems
    seed = benchmark.release.project.seed
    compared = compare_systems(
        [system.scores for system in scored], repetitions=REPETITIONS, seed=seed
    )
    for row, figures, intervals in zip(
        board.rows, compared.figures, compared.intervals, strict=True
    ):
        for measure, shown in zip(board.measures, row.figures, strict=True):
            interval = intervals[measure.key]
            assert shown == {
                "value": figures[measure.key],
                "low": interval.low,
                "high": interval.high,
            }
    expected = compared.differences[0, 1][benchmark.ranked_by]
    found = board.rows[1].compared
    assert found is not None
    assert found.value == pytest.approx(expected.value)
    assert (found.low, found.high) == pytest.approx((expected.interval.low, expected.interval.high))
    assert (found.p_value, found.adjusted) == (expected.p_value, expected.p_value)


@pytest.mark.parametrize("scheme", SCORED)
def test_later_gold_changes_no_score(scheme, tmp_path):
    benchmark = make_benchmark(scheme, tmp_path)
    phase = phase_of(benchmark)
    text = predictions(scheme, gold_text(phase, tmp_path / "gold"))
    before = send(make_team(benchmark, "First"), phase, text)
    for item in benchmark.release.project.items.all():
        gold = item.gold.latest("pk")
        content = {
            "qasrl": {**gold.content, "questions": []},
            "frames": {**gold.content, "frame": "Changed"},
            "grounding": {**gold.content, "phrases": []},
        }[scheme]
        add_gold(item=item, source="expert", content=content, provenance=[], now=NOW)
    after = send(make_team(benchmark, "Second"), phase, text)
    assert after.result == before.result
    assert after.item_scores == before.item_scores


def test_frames_have_the_tables_of_the_task(tmp_path, capsys):
    benchmark = make_benchmark("frames", tmp_path)
    phase = phase_of(benchmark)
    gold = gold_text(phase, tmp_path / "gold")
    text = predictions("frames", gold)
    entry = send(make_team(benchmark), phase, text)
    system, reference = tmp_path / "system.txt", tmp_path / "gold" / "gold.task-a.txt"
    system.write_text(text)
    confidence = tmp_path / "gold" / "gold.confidence.txt"
    clusters = tmp_path / "clusters.csv"
    call_command(
        "evaluate", "frames", "--task", "A", str(reference), str(system), "--json",
        "--confidence", str(confidence), "--leave-one-out", str(clusters),
    )  # fmt: skip
    levels = json.loads(capsys.readouterr().out)["by_confidence"]
    tables = {table["title"]: table for table in entry.result["types"]}
    rows = {row["type"]: row for row in tables["By annotators' confidence"]["rows"]}
    assert len(rows) == 2 * len(levels)
    for level, scores in levels.items():
        for name, of_level in (
            (level, scores["exactly"]),
            (f"{level} or more", scores["at_least"]),
        ):
            assert rows[name]["count"] == of_level["items"]
            assert rows[name]["systems"] == [
                {key: of_level[key] for key in ("purity_f", "bcubed_f")}
            ]
    effects = tables["Effect of each gold cluster on BCubed F, per item"]
    assert effects["is_signed"]
    lines = [line.split(",") for line in clusters.read_text().splitlines()[1:]]
    assert {row["type"]: row["systems"][0]["effect"] for row in effects["rows"]} == pytest.approx(
        {label: float(effect) for label, _, effect in lines}
    )


@pytest.mark.parametrize("variant", ["A", "B.1", "B.2"])
def test_each_task_of_frames_is_scored(variant, tmp_path):
    benchmark = make_benchmark("frames", tmp_path)
    phase = phase_of(benchmark)
    text = gold_text(phase, tmp_path / "gold", variant)
    entry = send(make_team(benchmark), phase, text, variant=variant)
    assert (entry.state, entry.error) == (EntryState.SCORED, "")
    assert math.isclose(entry.figures["bcubed_f"]["value"], 1.0)


@pytest.mark.parametrize("scheme", SCORED)
def test_predictions_on_the_blind_inputs_have_the_items_of_the_phase(scheme, tmp_path):
    """A system that fills in the blind files can be scored."""
    benchmark = make_benchmark(scheme, tmp_path)
    phase = phase_of(benchmark)
    inputs = inputs_of(phase)
    if scheme == "frames":
        text = inputs["A/task-a.blind.txt"]
        assert "sentences.conllu" in " ".join(inputs)
    elif scheme == "qasrl":
        text = inputs["predicates.csv"]
        tokens = inputs["sentences.csv"].splitlines()
        assert len(tokens) > 1
    else:
        lines = [json.loads(line) for line in inputs["phrases.jsonl"].splitlines()]
        assert all(line["phrase"] and line["file"] for line in lines)
        text = "".join(f"{json.dumps({**line, 'predicted': [[0, 0, 9, 9]]})}\n" for line in lines)
    entry = send(make_team(benchmark), phase, text)
    assert (entry.state, entry.error) == (EntryState.SCORED, "")


def test_schemes_without_scores_are_refused(tmp_path):
    release = make_release(make_sample_project("custom", tmp_path))
    assert "no evaluation of systems" in reason_against(release)
    with pytest.raises(BenchmarkError, match="no evaluation of systems"):
        open_benchmark(release=release, terms=make_terms(release), actor="ada", now=NOW)
    assert not Benchmark.objects.exists()
