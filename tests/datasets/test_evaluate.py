import codecs
import csv
import gc
import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line

from schemes.registry import EVALUATIONS
from schemes.reports import text_table
from tests.schemes.qasrl.published_data import EXPERT, GOLD, needs_published_data

ROOT = Path(__file__).resolve().parents[2]

HEADER = "qasrl_id,verb_idx,verb,worker_id,question,is_redundant,answer_range\n"
REFERENCE = f"""{HEADER}\
s1,3,sold,W1,Who sold something?,False,0:2
s1,3,sold,W1,What did someone sell?,False,4:6~!~7:8
s2,1,ran,W1,Who ran?,False,0:1
"""
PREDICTED = f"""{HEADER}\
s1,3,sold,W2,Who sold something?,False,0:2
s2,1,ran,W3,Where did someone run?,False,0:1
s3,0,go,W3,Who goes?,False,1:2
"""
SENTENCE_ROWS = """qasrl_id,tokens,sentence
s1,The man had sold the car and bike .,x
s2,He ran .,x
s3,Go !,x
"""
FRAMES_GOLD = """\
#1 2 sell.Sell fund-:-1-:-Seller bond-:-3-:-Goods
#2 2_3 buy_back.Buy it-:-1-:-Buyer
#3 2 purchase.Buy it-:-1-:-Buyer
"""
FRAMES_SYSTEM = """\
#3 2 purchase.2 it-:-1-:-x
#1 2 sell.1 bond-:-3-:-y fund-:-1-:-x
#2 2_3 buy_back.1 it-:-1-:-x
"""
PHRASES = """\
{"id": "a", "image": [100, 50], "gold": [[0, 0, 10, 10], [90, 0, 100, 10]], "plural": true,
 "predicted": [[0, 0, 100, 10]], "cardinality": 2,
 "candidates": [[[0, 0, 10, 10]], [[0, 0, 10, 10], [90, 0, 100, 10]]]}
{"id": "b", "image": [100, 50], "gold": [[0, 0, 10, 10]], "plural": false,
 "predicted": [[0, 0, 10, 5]]}
""".replace(",\n ", ", ")


@pytest.fixture
def folder(tmp_path):
    files = {
        "reference.csv": REFERENCE,
        "predicted.csv": PREDICTED,
        "sentences.csv": SENTENCE_ROWS,
        "gold.txt": FRAMES_GOLD,
        "system.txt": FRAMES_SYSTEM,
        "sure.txt": "#1 2 3\n#2 2_3 5\n#3 2 5\n",
        "phrases.jsonl": PHRASES,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def _evaluate(folder, *arguments):
    """Run the command. Arguments that end in a known suffix are files of the folder."""
    suffixes = (".csv", ".txt", ".jsonl", ".svg", ".png")
    output = StringIO()
    paths = [
        str(folder / argument) if str(argument).endswith(suffixes) else str(argument)
        for argument in arguments
    ]
    call_command("evaluate", *paths, stdout=output)
    return output.getvalue()


def _rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


QASRL = ("qasrl", "reference.csv", "predicted.csv")
FRAMES = ("frames", "--task", "A", "gold.txt", "system.txt")
GROUNDING = ("grounding", "phrases.jsonl")


# --- output that other programs rely on


def test_qasrl_json_follows_the_contract(folder):
    assert json.loads(_evaluate(folder, *QASRL, "--json")) == {
        "predicates": 2,
        "ignored_predicates": 1,
        "UA": {"tp": 2, "fp": 0, "fn": 2, "precision": 1.0, "recall": 0.5, "f1": 2 / 3},
        "LA": {"tp": 1, "fp": 1, "fn": 3, "precision": 0.5, "recall": 0.25, "f1": 1 / 3},
    }


@needs_published_data
def test_published_check_figures_are_reproduced():
    output = StringIO()
    call_command("evaluate", "qasrl", str(EXPERT), str(GOLD), "--json", stdout=output)
    figures = json.loads(output.getvalue())
    assert [figures["UA"][name] for name in ("tp", "fp", "fn")] == [155, 12, 22]
    assert [figures["LA"][name] for name in ("tp", "fp", "fn")] == [134, 33, 43]
    assert (figures["predicates"], figures["ignored_predicates"]) == (49, 1215)


def test_figures_without_a_denominator_are_null(folder):
    (folder / "predicted.csv").write_text(HEADER + "s9,0,go,W,Who goes?,False,1:2\n")
    ua = json.loads(_evaluate(folder, *QASRL, "--json"))["UA"]
    assert (ua["precision"], ua["recall"], ua["f1"]) == (None, 0.0, 0.0)


def test_frames_json_follows_the_contract(folder):
    assert json.loads(_evaluate(folder, *FRAMES, "--json")) == {
        "items": 3,
        "gold_clusters": 2,
        "system_clusters": 2,
        "purity": 2 / 3,
        "inverse_purity": 2 / 3,
        "purity_f": 2 / 3,
        "bcubed_precision": 2 / 3,
        "bcubed_recall": 2 / 3,
        "bcubed_f": 2 / 3,
    }


@pytest.mark.parametrize(
    ("task", "baseline", "clusters"),
    [
        ("A", "1CPI", 3),
        ("B.1", "AIN1", 1),
        ("A", "1CPH", 3),
        ("B.2", "1CPG", 2),
        ("B.1", "1CPHG", 4),
    ],
)
def test_baselines_are_scored_without_a_system(folder, task, baseline, clusters):
    words = ("frames", "--task", task, "gold.txt", "--baseline", baseline)
    figures = json.loads(_evaluate(folder, *words, "--relations", "system.txt", "--json"))
    assert figures["system_clusters"] == clusters


def test_grounding_json_follows_the_contract(folder):
    figures = json.loads(_evaluate(folder, *GROUNDING, "--json"))
    assert {"phrases", "iou", "c_iou", "filler", "upper_bound", "manipulated"} <= set(figures)
    assert figures["phrases"] == 2
    assert figures["iou"]["all"] == {"n": 2, "correct": 2, "accuracy": 1.0}
    assert figures["c_iou"]["plural"] == {"n": 1, "correct": 0, "accuracy": 0.0}
    assert figures["c_iou"]["singular"] == {"n": 1, "correct": 1, "accuracy": 1.0}
    assert figures["upper_bound"]["pruned"]["c_iou"]["all"] == {
        "n": 1,
        "correct": 1,
        "accuracy": 1.0,
    }


# --- output for people


def test_completion_is_reported(folder):
    (folder / "system.txt").write_text("#1 2 sell.1\n#7 1 go.2\n")
    words = (*FRAMES, "--complete-with", "AIN1")
    assert json.loads(_evaluate(folder, *words, "--json"))["completion"] == {
        "baseline": "AIN1",
        "answered": 1,
        "completed": 2,
        "extra": 1,
    }
    output = _evaluate(folder, *words)
    assert "labels 1 of these items. 2 were completed with AIN1." in output
    assert output.count("were ignored: 1.") == 1


def test_several_systems_share_a_table_and_a_heat_map(folder):
    words = (*FRAMES, "--others", "gold.txt", "--leave-one-out", "clusters.csv")
    for name in ("one.svg", "two.svg"):
        _evaluate(folder, *words, "--heat-map", name)
    assert (folder / "one.svg").read_bytes() == (folder / "two.svg").read_bytes()
    rows = _rows(folder / "clusters.csv")
    assert list(rows[0]) == ["gold", "size", "system.txt", "gold.txt"]
    texts = ["".join(node.itertext()) for node in ElementTree.parse(folder / "one.svg").iter()]
    for row in rows:
        assert any(f"{row['gold']} ({row['size']})" in text for text in texts)
        assert any(f"{float(row['system.txt']):+.4f}" in text for text in texts)


def test_tables_are_the_default(folder):
    output = _evaluate(folder, *QASRL, "--roles")
    assert output.splitlines()[0] == (
        "2 predicates in the reference; 1 predicted predicates that it lacks were ignored."
    )
    assert "UA   2   0   2       100.00     50.00  66.67" in output
    assert "2 of 3 reference questions found (66.67 %)." in output
    assert "BCubed" in _evaluate(folder, *FRAMES)
    assert "given predictions" in _evaluate(folder, *GROUNDING)


def test_undefined_figures_are_marked():
    assert (
        text_table(("", "F1 %"), [("UA", None), ("LA", 0.5)]) == "     F1 %\nUA      –\nLA  50.00"
    )


def test_intervals_are_seeded_and_shown_on_request(folder):
    first = json.loads(_evaluate(folder, *QASRL, "--json", "--bootstrap", 50, "--seed", 4))
    second = json.loads(_evaluate(folder, *QASRL, "--json", "--bootstrap", 50, "--seed", 4))
    assert first == second
    assert first["bootstrap"]["repetitions"] == 50
    low, high = first["bootstrap"]["intervals"]["UA"]["recall"]
    assert low <= 0.5 <= high
    assert "95 % intervals, 50 draws" in _evaluate(folder, *QASRL, "--bootstrap", 50)
    for words in (FRAMES, GROUNDING):
        grounding = json.loads(_evaluate(folder, *words, "--json", "--bootstrap", 20))
        assert grounding["bootstrap"]["repetitions"] == 20
        assert "20 draws" in _evaluate(folder, *words, "--bootstrap", 20)


# --- files on request


def test_qasrl_writes_items_and_alignment(folder):
    _evaluate(
        folder, *QASRL, "--per-item", "items.csv", "--alignment", "spans.csv",
        "--sentences", "sentences.csv",
    )  # fmt: skip
    items = _rows(folder / "items.csv")
    assert [(row["qasrl_id"], row["ua_tp"], row["ua_fn"]) for row in items] == [
        ("s1", "1", "2"),
        ("s2", "1", "0"),
    ]
    spans = _rows(folder / "spans.csv")
    assert [(row["state"], row["reference_text"]) for row in spans] == [
        ("matched", "The man"),
        ("missed", "the car"),
        ("missed", "bike"),
        ("label-differs", "He"),
    ]
    assert not list(folder.glob("*.part"))


def test_frames_write_items_cells_and_clusters(folder):
    _evaluate(
        folder, *FRAMES, "--per-item", "items.csv", "--alignment", "cells.csv",
        "--leave-one-out", "clusters.csv",
    )  # fmt: skip
    assert [row["gold"] for row in _rows(folder / "items.csv")] == ["Sell", "Buy", "Buy"]
    assert len(_rows(folder / "cells.csv")) == 3
    assert {row["gold"]: row["size"] for row in _rows(folder / "clusters.csv")} == {
        "Sell": "1",
        "Buy": "2",
    }


def test_grounding_writes_phrases_and_boxes(folder):
    _evaluate(folder, *GROUNDING, "--per-item", "items.csv", "--alignment", "boxes.csv")
    assert [(row["id"], row["iou"], row["c_iou"]) for row in _rows(folder / "items.csv")] == [
        ("a", "1.0", "0.2"),
        ("b", "0.5", "0.5"),
    ]
    assert [row["state"] for row in _rows(folder / "boxes.csv")] == [
        "missed",
        "missed",
        "extra",
        "matched",
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (QASRL, ["F1 by annotator (predicates)", "W2 (1)", "W3 (1)", "UA", "LA", "50.0 %"]),
        (
            (*FRAMES, "--confidence", "sure.txt"),
            ["BCubed F by confidence (items)", "3 (1)", "5 (2)"],
        ),
        (GROUNDING, ["Accuracy by metric (phrases)", "singular (1)", "IoU", "c-IoU", "100.0 %"]),
    ],
)
def test_charts_are_deterministic_svg(folder, words, expected):
    _evaluate(folder, *words, "--plot", "one.svg")
    _evaluate(folder, *words, "--plot", "two.svg")
    assert (folder / "one.svg").read_bytes() == (folder / "two.svg").read_bytes()
    texts = {
        "".join(node.itertext()).strip() for node in ElementTree.parse(folder / "one.svg").iter()
    }
    for text in expected:
        assert text in texts


def test_scores_by_confidence_are_printed_on_request(folder):
    words = (*FRAMES, "--confidence", "sure.txt")
    scores = json.loads(_evaluate(folder, *words, "--json"))["by_confidence"]
    assert {level: scores[level]["at_least"]["items"] for level in scores} == {"3": 3, "5": 2}
    assert "5 or more" in _evaluate(folder, *words)


# --- bad input exits with status 2 and one line

_PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


WITH_SENTENCES = (*QASRL, "--sentences", "sentences.csv")
BAD_FILES = {
    "a span on no token": (
        "predicted.csv",
        PREDICTED.replace("0:2", "2:2"),
        QASRL,
        "predicted.csv, line 2: answer_range",
    ),
    "a span beyond the sentence": (
        "predicted.csv",
        PREDICTED.replace("0:2", "8:10"),
        WITH_SENTENCES,
        "predicted.csv, line 2: answer_range: 8:10 ends beyond the sentence of 9 tokens",
    ),
    "an image as reference": (
        "reference.csv",
        _PNG,
        QASRL,
        "reference.csv: is a PNG image. Choose the file with the text.",
    ),
    "another table": (
        "reference.csv",
        "a,b\n1,2\n",
        QASRL,
        "reference.csv, line 1: qasrl_id: the column is missing",
    ),
    "an image as gold": (
        "gold.txt",
        _PNG,
        FRAMES,
        "gold.txt: is a PNG image. Choose the file with the text.",
    ),
    "a record too many": (
        "system.txt",
        FRAMES_SYSTEM.replace("#3 2", "#3 3"),
        FRAMES,
        "system.txt, line 1: #3 3 is not in gold.txt",
    ),
    "a record missing": (
        "system.txt",
        FRAMES_SYSTEM.partition("\n")[2],
        FRAMES,
        "system.txt: #3 2 is missing (gold.txt, line 3)",
    ),
    "a record repeated": (
        "system.txt",
        FRAMES_SYSTEM * 2,
        FRAMES,
        "system.txt, line 4: the verb #3 2 is repeated from line 1",
    ),
    "a moved argument": (
        "system.txt",
        FRAMES_SYSTEM.replace("bond-:-3", "bond-:-4"),
        ("frames", "--task", "B.2", "gold.txt", "system.txt"),
        "system.txt, line 2: #1 2, argument at 4 is not in gold.txt",
    ),
    "an image as phrases": (
        "phrases.jsonl",
        _PNG,
        GROUNDING,
        "phrases.jsonl: is a PNG image. Choose the file with the text.",
    ),
    "a phrase whose gold has no area": (
        "phrases.jsonl",
        PHRASES.replace('[[0, 0, 10, 10]], "plural": false', '[[0, 0, 10, 0]], "plural": false'),
        GROUNDING,
        "phrases.jsonl, line 2: gold: has no box with an area",
    ),
}


@pytest.mark.parametrize(
    ("name", "content", "words", "complaint"), BAD_FILES.values(), ids=BAD_FILES.keys()
)
def test_bad_input_is_reported_with_file_line_and_reason(folder, name, content, words, complaint):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CommandError) as excinfo:
        _evaluate(folder, *words)
    assert excinfo.value.returncode == 2
    assert complaint in str(excinfo.value)
    assert "\n" not in str(excinfo.value)


ONLY_GOLD = ("frames", "--task", "B.2", "gold.txt")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (ONLY_GOLD, "either a SYSTEM file or a --baseline"),
        ((*FRAMES, "--baseline", "AIN1"), "either a SYSTEM file or a --baseline"),
        ((*FRAMES[:-1], "--baseline", "1CPG"), "goes with --task B.1 or B.2"),
        ((*ONLY_GOLD, "--baseline", "1CPG"), "needs grammatical relations"),
        ((*FRAMES, "--plot", "f.svg"), "Pass the ratings with --confidence"),
        ((*QASRL, "--plot", "f.png"), "must end in .svg"),
        ((*FRAMES, "--heat-map", "f.png"), "--heat-map writes SVG"),
        ((*FRAMES, "--others", "gold.txt"), "needs --leave-one-out or --heat-map"),
        (
            (*FRAMES, "--heat-map", "f.svg", "--others", "system.txt"),
            "each system needs a file name of its own",
        ),
        ((*ONLY_GOLD, "--baseline", "AIN1", "--complete-with", "1CPI"), "completes a SYSTEM file"),
        ((*QASRL, "--bootstrap", "0"), "at least 1 draw"),
        ((*QASRL, "--seed", "-1"), "must not be negative"),
        ((*QASRL, "--per-item", "nowhere/items.csv"), "cannot be written (No such file"),
        (("qasrl", "gone.csv", "predicted.csv"), "gone.csv: cannot be opened"),
    ],
)
def test_invalid_options_are_refused_in_one_line(folder, words, complaint):
    with pytest.raises(CommandError) as excinfo:
        _evaluate(folder, *words)
    assert excinfo.value.returncode == 2
    assert complaint in str(excinfo.value)


def test_annotator_chart_requires_ids(folder):
    (folder / "predicted.csv").write_text(PREDICTED.replace(",W2,", ",,").replace(",W3,", ",,"))
    with pytest.raises(CommandError, match="needs predicted rows with a worker_id"):
        _evaluate(folder, *QASRL, "--plot", "f.svg")
    assert not (folder / "f.svg").exists()


def test_boxes_without_area_are_dropped_and_counted(folder):
    (folder / "phrases.jsonl").write_text(PHRASES.replace("10, 5]", "10, 0]"))
    figures = json.loads(_evaluate(folder, *GROUNDING, "--json"))
    assert figures["dropped_boxes"] == 1
    assert figures["iou"]["singular"] == {"n": 1, "correct": 0, "accuracy": 0.0}
    assert "Boxes without area, which are left out: 1." in _evaluate(folder, *GROUNDING)


def test_boxes_outside_the_image_are_clipped_and_counted(folder):
    (folder / "phrases.jsonl").write_text(PHRASES.replace("10, 5]", "10, 51]"))
    figures = json.loads(_evaluate(folder, *GROUNDING, "--json"))
    assert figures["clipped_boxes"] == 1
    assert figures["iou"]["singular"]["correct"] == 0
    assert "Boxes clipped to their images: 1." in _evaluate(folder, *GROUNDING)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("predicted.csv", "0:1", "1:0", QASRL),
        ("phrases.jsonl", '"plural": false', '"plural": 1', GROUNDING),
        ("system.txt", ".", "", FRAMES),
    ],
)
def test_bad_row_is_skipped_with_its_item_and_counted(folder, file, old, new, words):
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(CommandError):
        _evaluate(folder, *words)
    figures = json.loads(_evaluate(folder, *words, "--skip-bad-rows", "--json"))
    assert figures["skipped_rows"]["count"] == 1
    assert figures["skipped_rows"]["first"][0].startswith(file)
    assert "bad rows were skipped" in _evaluate(folder, *words, "--skip-bad-rows")


NOUNS = """\
qasrl_id,target_idx,noun,verb_form,is_verbal,question,answer_range
s1,3,sale,sell,True,Who sold something?,0:2
s1,5,offer,offer,False,Who offered something?,0:2
s1,5,offer,offer,False,What was offered?,7:8
s2,1,table,table,False,,
s2,4,run,run,False,Who ran?,0:1
s2,4,run,run,True,Where did someone run?,5-6
"""


def test_file_with_contradictory_nouns_is_refused_with_the_extent(folder):
    (folder / "nouns.csv").write_text(NOUNS)
    with pytest.raises(CommandError) as refusal:
        _evaluate(folder, "qasrl", "nouns.csv", "nouns.csv")
    assert str(refusal.value) == (
        "nouns.csv, line 3: is_verbal: is False, but there is a question. Bad rows in the file: 4 "
        "(is_verbal: 3, answer_range: 1). Skipping them leaves out this number of predicates: 2."
    )


def test_contradictory_nouns_are_left_out_and_counted(folder):
    (folder / "nouns.csv").write_text(NOUNS)
    (folder / "usable.csv").write_text(
        "".join(NOUNS.splitlines(keepends=True)[at] for at in (0, 1, 4))
    )
    expected = json.loads(_evaluate(folder, "qasrl", "usable.csv", "usable.csv", "--json"))
    words = ("qasrl", "nouns.csv", "usable.csv", "--skip-bad-rows")
    figures = json.loads(_evaluate(folder, *words, "--json"))
    skipped = figures.pop("skipped_rows")
    assert figures == expected
    assert (skipped["count"], skipped["items"]) == (4, 2)
    assert skipped["first"][:2] == [
        f"nouns.csv, line {line}: is_verbal: is False, but there is a question. The predicate s1/5 "
        "is left out."
        for line in (3, 4)
    ]
    assert "4 bad rows were skipped, with 2 predicates:" in _evaluate(folder, *words)


def test_neighbour_that_a_bad_row_leaves_out_is_named_and_counted(folder):
    """The bad row may be of the predicate before it, which has the same verb at the same position."""
    text = PREDICTED.replace("s3,0,go,W3,Who goes?,False,1:2", "s3,1,ran,W3,Who ran?,False,1-2")
    (folder / "predicted.csv").write_text(text)
    skipped = json.loads(_evaluate(folder, *QASRL, "--skip-bad-rows", "--json"))["skipped_rows"]
    message = "predicted.csv, line 4: answer_range: '1-2' is not start:end."
    assert skipped == {
        "count": 1,
        "items": 2,
        "first": [f"{message} The predicates s2/1 and s3/1 are left out."],
    }


def test_chart_of_annotators_leaves_out_the_same_bad_rows(folder):
    path = folder / "predicted.csv"
    path.write_text(path.read_text().replace("1:2", "1-2"))
    _evaluate(folder, *QASRL, "--skip-bad-rows", "--plot", "annotators.svg")
    assert (folder / "annotators.svg").exists()


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
@pytest.mark.parametrize(
    "words",
    [
        (*QASRL, "--sentences", "sentences.csv"),
        ("qasrl-workers", "predicted.csv", "--reference", "reference.csv"),
        (*FRAMES, "--confidence", "sure.txt", "--relations", "gold.txt"),
        (*FRAMES, "--others", "other.txt", "third.txt", "--leave-one-out", "clusters.csv"),
        GROUNDING,
    ],
)
def test_files_in_utf_16_have_the_same_figures(folder, words, mark):
    for name in ("other.txt", "third.txt"):
        (folder / name).write_text(FRAMES_SYSTEM, "utf-8")
    expected = _evaluate(folder, *words, "--json")
    codec = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
    for path in folder.iterdir():
        path.write_bytes(mark + path.read_text("utf-8").encode(codec))
    assert _evaluate(folder, *words, "--json") == expected


def test_bad_row_of_a_file_in_utf_16_has_its_name_and_line(folder):
    path = folder / "predicted.csv"
    path.write_bytes((PREDICTED + "s1,x,sold,W2,Who sold something?,False,0:2\n").encode("utf-16"))
    with pytest.raises(CommandError, match=r"^predicted\.csv, line 5: verb_idx"):
        _evaluate(folder, *QASRL)
    path.write_bytes(codecs.BOM_UTF16_LE + b"q\x00\x00\xdc")
    with pytest.raises(CommandError, match=r"^predicted\.csv, line 1: is not UTF-16"):
        _evaluate(folder, *QASRL)


@pytest.mark.parametrize("evaluation", EVALUATIONS.values(), ids=EVALUATIONS)
def test_every_file_that_is_read_may_be_in_utf_16(evaluation):
    parser = ArgumentParser()
    evaluation.add_arguments(parser)
    paths = [action for action in parser._actions if action.type is Path]
    read = {action.dest for action in paths if not action.metavar.startswith("OUT.")}
    assert read == set(evaluation.reads)


def test_garbage_is_collected_again_after_an_evaluation(folder):
    _evaluate(folder, *QASRL)
    assert gc.isenabled()
    with pytest.raises(CommandError):
        _evaluate(folder, "qasrl", "reference.csv", "absent.csv")
    assert gc.isenabled()


def _run(*words):
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "evaluate", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        timeout=60,
        check=False,
    )


def test_failing_process_exits_with_2_and_prints_nothing_to_stdout(folder):
    process = _run("qasrl", str(folder / "gone.csv"), str(folder / "predicted.csv"), "--json")
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.splitlines() == [
        "CommandError: gone.csv: cannot be opened (No such file or directory); check the path."
    ]


def test_successful_process_exits_with_0_and_prints_one_json_object(folder):
    process = _run("qasrl", str(folder / "reference.csv"), str(folder / "predicted.csv"), "--json")
    assert (process.returncode, process.stderr) == (0, "")
    assert json.loads(process.stdout)["predicates"] == 2


@pytest.mark.parametrize("scheme", ["qasrl", "frames", "grounding"])
def test_help_has_examples(scheme, capsys):
    with pytest.raises(SystemExit) as end:
        execute_from_command_line(["manage.py", "evaluate", scheme, "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert f"python manage.py evaluate {scheme} " in text
    assert "--bootstrap N" in text
