"""Table 1 of Suter et al. 2021 from a file of candidates, which the command runs the system on."""

import json
import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from schemes.grounding import paper_figures as paper
from schemes.grounding.bias_report import ROWS
from schemes.grounding.evaluation import evaluate_file
from schemes.reproduction import Status

from .test_baseline import text_file
from .test_bias_report import plain_table, random_box, seeded_phrases


def found(label, score, *boxes):
    return {"label": label, "score": score, "boxes": list(boxes)}


A, B, M = [0, 0, 20, 20], [80, 0, 100, 20], [40, 40, 60, 100]
PIN, HAND_1, HAND_2 = [20, 70, 80, 100], [0, 50, 10, 62], [90, 50, 100, 62]
MAN, TREE = [0, 0, 50, 90], ([50, 0, 100, 50], [50, 50, 100, 100])
PHRASES = [
    {
        "id": "two dogs", "image": [100, 100], "plural": True, "cardinality": 2, "gold": [A, B],
        "candidates": [
            found("dog", 0.9, A), found("dog", 0.9, B), found("man", 0.5, M), found("dog", 0.9, A, B),
        ],
    },
    {
        "id": "three pins", "image": [100, 100], "plural": True, "cardinality": 3,
        "gold": [[0, 50, 10, 60], [90, 50, 100, 60]],
        "candidates": [
            found("pin", 0.9, PIN), found("hand", 0.6, HAND_1), found("hand", 0.6, HAND_2),
            found("hand", 0.6, HAND_1, HAND_2),
        ],
    },
    {
        "id": "a man", "image": [100, 100], "plural": False, "gold": [[0, 0, 50, 100]],
        "candidates": [found("man", 0.8, MAN), found("tree", None, *TREE)],
    },
    {
        "id": "a hat", "image": [100, 100], "plural": False, "gold": [[0, 0, 10, 10]],
        "candidates": [],
    },
]  # fmt: skip
# In the order of the paper's columns: IoU of all phrases with single objects and with all of them, IoU
# of plural phrases with both, then the same for c-IoU.
EXPECTED = {
    "upper_bound": (25, 75, 0, 100, 50, 75, 50, 100),
    "system": (25, 50, 0, 50, 50, 50, 50, 50),
    "pruned": (None, 75, None, 100, None, 75, None, 100),
    "pruned_enlarged": (25, 75, 0, 100, 25, 50, 0, 50),
    "max_box": (25, 25, 0, 0, 25, 0, 0, 0),
    "random": (25, 25, 0, 0, 25, 0, 0, 0),
}


def write(path, phrases):
    path.write_text("".join(json.dumps(phrase) + "\n" for phrase in phrases))
    return path


def reproduced(path):
    """Return the output of the command as JSON."""
    out = StringIO()
    call_command("reproduce", "grounding", str(path), "--json", stdout=out)
    return json.loads(out.getvalue())


def table_1(result):
    """Return the recomputed figures by row, in the order of the paper's columns."""
    titles = {f"Table 1, {title}": row for row, title in ROWS}
    rows = {}
    for figure in result["figures"]:
        if figure["table"] in titles:
            rows.setdefault(titles[figure["table"]], []).append(figure["recomputed"])
    return {row: tuple(values) for row, values in rows.items()}


def section(result, title):
    return {
        figure["figure"]: figure["recomputed"]
        for figure in result["figures"]
        if figure["table"].startswith(title)
    }


def test_every_row_of_a_case_worked_by_hand(tmp_path):
    result = reproduced(write(tmp_path / "candidates.jsonl", PHRASES))
    assert table_1(result) == EXPECTED
    assert section(result, "Section 4") == {
        "System, singles, all phrases %": 25, "System, singles, plural phrases %": 0,
        "System, all, all phrases %": 50, "System, all, plural phrases %": 50,
    }  # fmt: skip
    assert section(result, "Section 2.1") == {
        "boxes per phrase": 2, "with one box %": 0, "union box covered %": pytest.approx(30),
        "filler over half %": 100, "several boxes, but another number %": 50,
        "without proper components %": 50,
    }  # fmt: skip


@pytest.mark.slow
def test_rows_equal_those_of_a_second_implementation(tmp_path):
    phrases = seeded_phrases(80, seed=11)
    for phrase in phrases:
        del phrase["predicted"]
    expected = plain_table(phrases, given=False, seed=0)
    rows = table_1(reproduced(write(tmp_path / "candidates.jsonl", phrases)))
    assert set(rows) == {row for row, _ in ROWS}
    for row, values in rows.items():
        for (kind, metric, group), value in zip(paper.COLUMNS, values, strict=True):
            if (row, kind) == ("pruned", "singles"):
                assert value is None
            else:
                share = expected[row, kind, metric][group == "plural"]
                assert value == pytest.approx(100 * share), (row, kind, metric, group)


def phrases_with_objects():
    rng = random.Random(5)
    labels = ["puppy", "person", "tree", "woman"]
    return [
        {
            "id": number, "image": [24, 18], "phrase": rng.choice(["dogs", "woman", "tree", "?"]),
            "plural": rng.random() < 0.6, "gold": [random_box(rng) for _ in range(2)],
            "objects": [
                {"label": rng.choice(labels), "box": random_box(rng)} for _ in range(rng.randint(0, 6))
            ],
        }
        for number in range(120)
    ]  # fmt: skip


def grounded(tmp_path, name, *options):
    """Return the output of `ground`, and its accuracies in the order of the paper's columns for all."""
    source = write(tmp_path / "phrases.jsonl", phrases_with_objects())
    vectors, path = text_file(tmp_path / "v.txt"), tmp_path / f"{name}.jsonl"
    call_command(
        "ground", str(source), "--vectors", str(vectors), "--out", str(path), *options,
        stdout=StringIO(),
    )  # fmt: skip
    figures = evaluate_file(path).figures()
    return path, tuple(
        100 * figures[metric][group]["accuracy"]
        for metric in ("iou", "c_iou")
        for group in ("all", "plural")
    )


def test_rows_equal_what_ground_predicts(tmp_path):
    options = {
        "system": (), "pruned": ("--pruning",), "pruned_enlarged": ("--pruning", "--enlarge"),
    }  # fmt: skip
    outputs = {name: grounded(tmp_path, name, *chosen) for name, chosen in options.items()}
    accuracies = {name: own for name, (_, own) in outputs.items()}
    assert len(set(accuracies.values())) == 3
    # The candidates are the same in each file.
    for path, _ in outputs.values():
        rows = table_1(reproduced(path))
        assert {row: rows[row][1::2] for row in accuracies} == accuracies


def test_figures_that_need_candidates_name_the_file(tmp_path):
    for phrase in (phrases := json.loads(json.dumps(PHRASES))):
        phrase["predicted"] = phrase["gold"]
        phrase["candidates"] = [own["boxes"] for own in phrase["candidates"]]
    missing = missing_by_row(write(tmp_path / "boxes.jsonl", phrases))
    assert missing == {
        "System": (4, "the candidates have no scores in boxes.jsonl"),
        "Pruned": (4, "the candidates have no scores in boxes.jsonl"),
        "Pruned and enlarged": (8, "the candidates have no scores in boxes.jsonl"),
        "Random": (8, "the candidates have no labels in boxes.jsonl"),
    }
    for phrase in phrases:
        del phrase["candidates"]
    missing = missing_by_row(write(tmp_path / "none.jsonl", phrases))
    reason = "there are no candidates in none.jsonl"
    assert missing == {
        "Upper bound": (8, reason), "System": (4, reason), "Pruned": (4, reason),
        "Pruned and enlarged": (8, reason), "Max box": (4, reason), "Random": (8, reason),
    }  # fmt: skip


def missing_by_row(path):
    """Return the number of the paper's figures without a file, and their reason, by row."""
    result = reproduced(path)
    rows = {}
    for figure in result["figures"]:
        if figure["status"] == Status.FILE_MISSING:
            row = figure["table"].removeprefix("Table 1, ")
            rows[row] = (rows.get(row, (0, ""))[0] + 1, figure["note"])
    assert result["counts"][Status.FILE_MISSING] == sum(number for number, _ in rows.values())
    assert sum(result["counts"].values()) == 44 + 4 + 5 + 5
    return rows


def test_file_without_predictions_and_scores_is_refused(tmp_path):
    for phrase in (phrases := json.loads(json.dumps(PHRASES))):
        for own in phrase["candidates"]:
            own["score"] = None
    with pytest.raises(CommandError, match=r"c\.jsonl: has neither predicted boxes nor candidates"):
        reproduced(write(tmp_path / "c.jsonl", phrases))
    del phrases[1]["candidates"]
    with pytest.raises(CommandError, match=r"c\.jsonl, line 2: predicted: is missing"):
        reproduced(write(tmp_path / "c.jsonl", phrases))
