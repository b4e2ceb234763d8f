"""`reproduce`, which shows each figure of a paper beside the recomputed figure or a reason."""

import csv
import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from schemes.frames.reproduction import FRAMES
from schemes.reproduction import NO_REASON
from tests.borders.test_cases import bank
from tests.schemes.grounding.test_bias_report import seeded_phrases
from tests.schemes.qasrl.published_data import FOLDER, needs_published_data
from tests.schemes.qasrl.test_parser_output import allennlp

CUT = {
    "stem": "cut",
    "presentSingular3rd": "cuts",
    "presentParticiple": "cutting",
    "past": "cut",
    "pastParticiple": "cut",
}
HEADER = "qasrl_id,verb_idx,verb,worker_id,question,is_redundant,answer_range"
WHO, WHAT = "Who cut something?,False,0:1", "What was cut?,False,2:4"
WHY = "Why was something cut?,False,4:5"


def reproduce(scheme: str, path, *options) -> str:
    out = StringIO()
    call_command("reproduce", scheme, str(path), *map(str, options), stdout=out)
    return out.getvalue()


def figures(scheme: str, path) -> dict:
    """Return (paper, recomputed, note) by table and figure."""
    rows = json.loads(reproduce(scheme, path, "--json"))["figures"]
    return {
        (row["table"], row["figure"]): (row["paper"], row["recomputed"], row["note"])
        for row in rows
    }


def write_rows(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"s1,1,cut,{worker},{columns}" for worker, columns in rows]
    path.write_text("\n".join([HEADER, *lines]) + "\n")


@pytest.fixture
def clone(tmp_path):
    """Create a clone with the layout of the published data, reduced to one predicate."""
    data = tmp_path / "data"
    write_rows(data / "gold" / "wikinews.dev.gold.csv", ("w", WHO), ("w", WHAT))
    expert = data / "ground_truth" / "wikinews.dev.large_sample.ground_truth.csv"
    write_rows(expert, ("e", WHO), ("e", WHAT), ("e", WHY))
    return tmp_path


@needs_published_data
def test_published_data_reproduce_the_figures_of_the_paper():
    recomputed = figures("qasrl", FOLDER)
    dataset = "Dataset, wikinews.dev"
    note = "917 in wikinews.dev.full.csv, 500 with gold"
    assert recomputed[dataset, "sentences"] == (500, 500, note)
    assert recomputed[dataset, "predicates"] == (1264, 1264, "")
    assert recomputed[dataset, "roles"] == (3714, 3714, "")
    assert recomputed[dataset, "arguments"] == (4315, 4315, "")
    paper, roles, _ = recomputed[dataset, "roles per predicate"]
    assert (paper, round(roles, 1)) == (2.9, 2.9)
    note = "49 predicates are published, 100 are in the paper"
    against = "Table 4, against experts: This work"
    assert recomputed[against, "UA, automatic, F1 %"] == (
        84.4,
        pytest.approx(100 * 310 / 344),
        note,
    )
    assert recomputed[against, "LA, automatic, F1 %"] == (
        75.0,
        pytest.approx(100 * 268 / 344),
        note,
    )
    lines = reproduce("qasrl", FOLDER).splitlines()
    assert lines[-1] == (
        "Of 103 figures of the paper: 5 equal, 7 different, 60 not public, 31 file missing."
    )
    missing = "wikipedia.test.gold.csv is missing"
    assert recomputed["Dataset, wikipedia.test", "roles"] == (None, None, missing)


def test_missing_files_are_named(clone):
    recomputed = figures("qasrl", clone)
    assert recomputed["Dataset, wikinews.dev", "roles"] == (3714, 2, NO_REASON)
    against = "Table 4, against experts: This work"
    note = "1 predicates are published, 100 are in the paper"
    assert recomputed[against, "UA, automatic, recall %"] == (89.4, pytest.approx(200 / 3), note)
    workers = recomputed["Agreement", "single workers, UA F1 %"]
    assert workers == (79.8, None, "*.annot.csv, the annotations of single workers, is missing")
    assert recomputed["Protocol", "cents per predicate"][:2] == (54.2, None)
    (clone / "data" / "gold" / "wikinews.dev.gold.csv").unlink()
    note = "wikinews.dev.gold.csv is missing"
    assert figures("qasrl", clone)[against, "UA, automatic, recall %"] == (89.4, None, note)


def test_annotations_of_workers_and_teams_are_used_if_present(clone):
    write_rows(clone / "wikinews.annot.csv", ("a", WHO), ("b", WHO), ("b", WHAT))
    for name, rows in (("a_b_c", [WHO, WHAT]), ("d_e_f", [WHO]), ("a_d_g", [WHY])):
        write_rows(clone / f"wikinews.inter.{name}.csv", *[("w", row) for row in rows])
    recomputed = figures("qasrl", clone)
    reason = "the file has other pairs of workers than the paper's experiments"
    share = pytest.approx(100 * 2 / 3)
    assert recomputed["Agreement", "single workers, UA F1 %"] == (79.8, share, reason)
    assert recomputed["Agreement", "single workers, experiments"] == (10, 1, reason)
    assert recomputed["Agreement", "single workers, predicates"] == (150, 1, reason)
    # Only the teams abc and def have no worker in common.
    reason = "the files have other teams than the paper's experiments"
    assert recomputed["Agreement", "consolidated, UA F1 %"] == (84.1, share, reason)
    assert recomputed["Agreement", "consolidated, experiments"] == (4, 1, reason)
    assert recomputed["Agreement", "consolidated, predicates per experiment"] == (35, 1, reason)


def test_workers_and_teams_that_share_nothing_are_named(clone):
    write_rows(clone / "wikinews.annot.csv", ("a", WHO))
    for name in ("a_b_c", "a_d_g"):
        write_rows(clone / f"wikinews.inter.{name}.csv", ("w", WHO))
    recomputed = figures("qasrl", clone)
    note = "*.annot.csv, the annotations of single workers, is missing"
    assert recomputed["Agreement", "single workers, experiments"] == (10, None, note)
    note = "*.inter.*.csv, consolidations by disjoint teams, is missing"
    assert recomputed["Agreement", "consolidated, experiments"] == (4, None, note)


def test_parser_in_the_folder_is_scored_against_the_expert(clone):
    (clone / "parser.jsonl").write_text(json.dumps(allennlp()) + "\n")
    recomputed = figures("qasrl", clone)
    table = "Other annotations against experts"
    figure = "parser.jsonl (answers from 0.5), UA recall %"
    assert recomputed[table, figure] == (None, pytest.approx(200 / 3), "")
    (clone / "notes.jsonl").write_text('{"note": 1}\n')
    note = figures("qasrl", clone)[table, "notes.jsonl"][2]
    assert note.startswith("notes.jsonl, line 1: sentenceId: must be a text")


def test_parser_is_scored_against_the_gold(clone):
    (clone / "parser.jsonl").write_text(json.dumps({**allennlp(), "qasrl_id": "s1"}) + "\n")
    recomputed = figures("qasrl", clone)
    table = "Table 6, parser against gold: Wikinews dev (parser.jsonl)"
    reason = "the paper's output of the parser is not public"
    assert recomputed[table, "UA, recall %"] == (58.8, pytest.approx(100), reason)
    table = "Table 6, parser against gold: test"
    note = "wikinews.test.gold.csv is missing"
    assert recomputed[table, "UA, recall %"] == (50.2, None, note)
    for split in ("wikinews.test", "wikipedia.test"):
        write_rows(clone / f"{split}.gold.csv", ("w", WHO), ("w", WHY))
    recomputed = figures("qasrl", clone)
    assert recomputed[f"{table} (parser.jsonl)", "UA, recall %"][:2] == (50.2, pytest.approx(50))


def test_dense_is_scored_without_questions_of_models(clone):
    entry = json.loads(bank("Perry cut the grass .", 1, name="s1"))
    verb = entry["verbEntries"]["1"]
    verb["verbInflectedForms"] = CUT
    (label,) = verb["questionLabels"].values()
    valid = [{"sourceId": f"turk-{n}", "isValid": True, "spans": [[0, 1]]} for n in range(6)]
    models = {"questionSources": ["model-1"], "answerJudgments": valid}
    verb["questionLabels"] = {
        text: {**label, "questionString": text, "answerJudgments": valid, **others}
        for text, others in (("Who cut something?", {}), ("Who cut someone?", models))
    }
    (clone / "dev.jsonl").write_text(json.dumps(entry) + "\n")
    recomputed = figures("qasrl", clone)
    table = "Table 4, against experts: Dense (2018)"
    assert recomputed[table, "UA, automatic, precision %"][:2] == (67.1, pytest.approx(100))
    assert recomputed[table, "UA, automatic, recall %"][:2] == (69.5, pytest.approx(100 / 3))
    assert recomputed[table, "UA, manual, F1 %"][:2] == (77.6, None)
    other = recomputed["Other annotations against experts", "dev.jsonl (5 of 6 valid), UA F1 %"]
    assert other[2] == "1 question of models left out"
    notes = "1 predicates are published, 100 are in the paper; 1 question of models left out"
    assert recomputed[table, "predicates"][2] == notes
    sizes = "Dataset, Dense (2018)"
    assert recomputed[sizes, "roles per predicate"][:2] == (2.3, 1)
    more = "more roles per predicate in this work %"
    assert recomputed[sizes, more][:2] == (25, pytest.approx(100))
    assert recomputed[table, "predicates"][:2] == (100, 1)
    rows = json.loads(reproduce("qasrl", clone, "--sources", "all", "--json"))["figures"]
    [roles] = [
        row for row in rows if (row["table"], row["figure"]) == (sizes, "roles per predicate")
    ]
    assert roles["recomputed"] == 2
    assert not any("of models" in row["note"] for row in rows)


def test_mean_of_experiments_is_the_agreement_of_teams(clone):
    teams = {"a_b_c": [WHO, WHAT], "d_e_f": [WHO], "g_h_i": [WHO]}
    for name, rows in teams.items():
        write_rows(clone / f"wikinews.inter.{name}.csv", *[("w", row) for row in rows])
    # The F1 of the three pairs are 2/3, 2/3 and 1. Their counts together give 3/4.
    agreement = figures("qasrl", clone)["Agreement", "consolidated, UA F1 %"]
    assert agreement[:2] == (84.1, pytest.approx(100 * 7 / 9))


def test_statuses_are_counted(clone):
    result = json.loads(reproduce("qasrl", clone, "--json"))
    counts = Counter(row["status"] for row in result["figures"] if row["paper"] is not None)
    assert result["counts"] == {
        name: counts[name] for name in ("equal", "different", "not public", "file missing")
    }
    assert all(row["note"] for row in result["figures"] if row["recomputed"] is None)


def test_tables_are_written(clone, tmp_path):
    out = tmp_path / "tables"
    text = reproduce("qasrl", clone, "--out", out)
    assert text.startswith("Roit et al. 2020")
    with (out / "reproduction.csv").open() as file:
        rows = {(row["table"], row["figure"]): row for row in csv.DictReader(file)}
    assert rows["Dataset, wikinews.dev", "roles"]["paper"] == "3714"
    lines = (out / "reproduction.md").read_text().splitlines()
    assert lines[0].startswith("# QA-SRL: Roit et al. 2020")
    assert "| Dataset, wikinews.dev | Paper | Recomputed | Note |" in lines
    assert f"| roles | 3,714 | 2 | {NO_REASON} |" in lines


@pytest.mark.parametrize("scheme", ["qasrl", "frames"])
def test_folder_without_the_files_is_refused(tmp_path, scheme):
    for path, message in ((tmp_path, "has no "), (tmp_path / "missing", "is not a folder")):
        with pytest.raises(CommandError, match=message) as excinfo:
            reproduce(scheme, path)
        assert excinfo.value.returncode == 2


def records(path, *lines):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines))


@pytest.fixture
def semeval(tmp_path):
    records(tmp_path / "gold" / "task-a.txt", *[f"#{n} 1 {verb}" for n, verb in enumerate(
        ["sell.X", "sell.X", "buy.X", "buy.Y", "buy.Y", "give.Z"])])  # fmt: skip
    records(
        tmp_path / "team" / "task-a.txt", *[f"#{n} 1 v.{label}" for n, label in enumerate("aaaaab")]
    )
    records(tmp_path / "gold" / "task-b2.txt", "#1 2 sell.na it-:-1-:-Agent cow-:-4-:-Theme")
    records(tmp_path / "dep-stx.txt", "#1 2 sell.unkn it-:-1-:-nsubj cow-:-4-:-dobj")
    (tmp_path / "notes.txt").write_text("These are notes, not records.\n")
    return tmp_path


def test_systems_and_baselines_of_frames_are_scored(semeval):
    recomputed = figures("frames", semeval)
    # The example worked by hand has gold XXXYYZ and system aaaaab.
    system = {
        figure.removeprefix("task-a.txt, "): value
        for (table, figure), (_, value, _) in recomputed.items()
        if table == "Table 6, task A" and figure.startswith("task-a.txt")
    }
    assert system == pytest.approx({
        "clusters": 2, "purity %": 200 / 3, "inverse purity %": 100, "purity F %": 80,
        "BCubed precision %": 60, "BCubed recall %": 100, "BCubed F %": 75,
    })  # fmt: skip
    reason = "the gold of task A has 6 records, and the paper's 4,620"
    assert recomputed["Table 6, task A", "1CPH, clusters"] == (273, 3, reason)
    assert recomputed["Table 6, task A", "AIN1, BCubed recall %"] == (100, 100, "")
    assert recomputed["Table 6, task A", "AIN1, BCubed recall %"][1] == 100
    assert recomputed["Table 6, task B.2", "1CPG, clusters"][1] == 2
    missing = recomputed["Table 6, task B.1", "1CPHG, purity %"]
    assert missing == (78.46, None, "the gold is missing")
    assert recomputed["Table 1, SemEval", "records"] == (4620, 6, reason)
    assert recomputed["Table 1, SemEval", "semantic arguments"] == (9466, 2, reason)
    elements = recomputed["Table 1, SemEval", "frame elements"]
    assert elements == (9510, None, "the gold of task B.1 is missing")
    system = recomputed["Table 6, task A", "Arefyev et al., BCubed F %"]
    assert system == (70.7, None, "the system's output is not public")
    assert "figures of the paper: " in reproduce("frames", semeval).splitlines()[-1]


def test_frames_without_relations_or_with_several_golds_are_explained(semeval):
    (semeval / "dep-stx.txt").unlink()
    note = figures("frames", semeval)["Table 6, task B.2", "1CPG, purity %"][2]
    assert note.startswith("the file of relations (frames unkn) is missing")
    records(semeval / "team" / "other.txt", "#9 1 sell.X")
    (semeval / "gold" / "task-a.txt").rename(semeval / "team" / "third.txt")
    note = figures("frames", semeval)["Table 6, task A", "1CPH, purity %"][2]
    assert note.startswith("several files, none named gold")


def test_system_with_other_items_is_explained(semeval):
    records(semeval / "team" / "task-a.txt", "#0 1 sell.X")
    note = figures("frames", semeval)["Table 6, task A", "task-a.txt"][2]
    assert "is missing" in note
    assert FRAMES.paper == "QasemiZadeh et al. 2019, SemEval-2019 Task 2"


def test_figures_of_grounding_stand_beside_those_of_the_paper(tmp_path):
    path = tmp_path / "phrases.jsonl"
    phrases = seeded_phrases(40)
    path.write_text("".join(json.dumps(phrase) + "\n" for phrase in phrases))
    recomputed = figures("grounding", path)
    assert sum(name.startswith("Table 1") for name, _ in recomputed) == 6 * 2 * 2 * 2
    for label, in_paper in (("System", 37.37), ("Max box", 22.19), ("Upper bound", 60.94)):
        value = recomputed[f"Table 1, {label}", "all, c-IoU, plural phrases %"]
        assert value[0] == in_paper
        assert value[2] == "the file has 40 phrases, and the paper's test data 140,972"
    note = recomputed["Table 1, Random", "all, IoU, all phrases %"][2]
    assert note == "the paper's draw is not public"
    plural = [phrase for phrase in phrases if phrase["plural"]]
    single = sum(len(phrase["gold"]) == 1 for phrase in plural)
    section = "Section 2.1, plural phrases"
    boxes = sum(len(phrase["gold"]) for phrase in plural) / len(plural)
    assert recomputed[section, "boxes per phrase"][:2] == (3.6, pytest.approx(boxes))
    one_box = recomputed[section, "with one box %"][1]
    assert one_box == pytest.approx(100 * single / len(plural))
    assert recomputed[section, "without proper components %"][0] == 37
    assert recomputed["Section 3, test data", "plural phrases"][:2] == (30762, len(plural))
    pins = recomputed["Figure 2", "“juggling pins” as “hands”, c-IoU"]
    assert pins == (0.17, None, "the paper's predictions are not public")
    words = recomputed["Section 3, test data", "words"]
    assert words == (8301, None, "is not in the file of phrases")


def test_every_difference_and_every_missing_figure_is_explained(clone, semeval, tmp_path):
    phrases = tmp_path / "phrases.jsonl"
    phrases.write_text("".join(json.dumps(phrase) + "\n" for phrase in seeded_phrases(20)))
    for scheme, path in (("qasrl", clone), ("frames", semeval), ("grounding", phrases)):
        rows = json.loads(reproduce(scheme, path, "--json"))["figures"]
        printed = [row for row in rows if row["paper"] is not None]
        assert {row["status"] for row in printed} >= {"different", "not public"}
        unexplained = [row for row in printed if row["status"] != "equal" and not row["note"]]
        assert unexplained == []
