"""The bias report, compared with a second implementation that counts pixels."""

import json
import random
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from PIL import Image as Picture

from projects.command import InputError
from schemes.contract.errors import refuse
from schemes.contract.external import GoldItem
from schemes.contract.items import ItemContext
from schemes.contract.values import Image
from schemes.grounding.bias_report import ROWS, bias_report, disagreements, table_rows
from schemes.grounding.bias_report_files import PREDICTIONS
from schemes.grounding.evaluation import evaluate_file

SIZE = (24, 18)
LABELS = ("man", "dog", "hat", "tree")


def random_box(rng):
    x1, y1 = rng.randrange(SIZE[0] - 1), rng.randrange(SIZE[1] - 1)
    return [x1, y1, rng.randint(x1 + 1, SIZE[0]), rng.randint(y1 + 1, SIZE[1])]


def near(rng, box):
    """Return the box, shifted a little within the image."""
    shifts = [rng.randint(-2, 2) for _ in box]
    x1, y1, x2, y2 = (side + shift for side, shift in zip(box, shifts, strict=True))
    x1, y1 = min(max(x1, 0), SIZE[0] - 1), min(max(y1, 0), SIZE[1] - 1)
    return [x1, y1, min(max(x2, x1 + 1), SIZE[0]), min(max(y2, y1 + 1), SIZE[1])]


def seeded_phrases(count=100, seed=7):
    rng = random.Random(seed)
    phrases = []
    for number in range(count):
        plural = rng.random() < 0.5
        gold = [random_box(rng) for _ in range(rng.randint(1, 4) if plural else 1)]
        predicted = [near(rng, box) for box in gold if rng.random() < 0.85]
        predicted += [random_box(rng) for _ in range(rng.choice([0, 0, 0, 1, 2]))]
        scores = {label: rng.choice([None, 0.25, 0.5, 0.75]) for label in LABELS}
        if rng.random() < 0.7:
            scores[LABELS[0]] = 1.0
        objects = [(LABELS[0], [near(rng, box)]) for box in gold]
        if rng.random() < 0.5:
            objects.append((rng.choice(LABELS[:2]), [near(rng, box) for box in gold]))
        for _ in range(5):
            objects.append(
                (rng.choice(LABELS), [random_box(rng) for _ in range(rng.randint(1, 3))])
            )
        rng.shuffle(objects)
        candidates = [
            {"label": label, "score": scores[label], "boxes": boxes} for label, boxes in objects
        ]
        phrases.append({
            "id": f"p{number}", "image": list(SIZE), "gold": gold, "predicted": predicted,
            "plural": plural, "cardinality": rng.choice([None, len(gold), len(gold) + 1]),
            "candidates": candidates, "phrase": f"phrase & {number}", "picture": f"{number}.png",
        })  # fmt: skip
    return phrases


# --- the second implementation ---

QUARTERS = 4


def cells(boxes, scale=QUARTERS):
    """Return the quarter pixels that boxes cover. Coordinates are in pixels, or in quarters."""
    return {
        (x, y)
        for x1, y1, x2, y2 in boxes
        for x in range(x1 * scale, x2 * scale)
        for y in range(y1 * scale, y2 * scale)
    }


def around(boxes):
    columns = list(zip(*boxes, strict=True))
    return [[min(columns[0]), min(columns[1]), max(columns[2]), max(columns[3])]] if boxes else []


def passes(gold, predicted, metric, scale=QUARTERS, gold_scale=QUARTERS):
    if metric == "both":
        by_metric = (passes(gold, predicted, name, scale, gold_scale) for name in ("iou", "c_iou"))
        return all(by_metric)
    if metric == "iou":
        gold, predicted = around(gold), around(predicted)
    gold_cells, predicted_cells = cells(gold, gold_scale), cells(predicted, scale)
    return 2 * len(gold_cells & predicted_cells) >= len(gold_cells | predicted_cells)


def biggest(boxes):
    if not boxes:
        return []
    return [max(boxes, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))]


def grown(boxes):
    """Return boxes in quarters of pixels, both sides larger by half, inside the image."""
    result = []
    for x1, y1, x2, y2 in boxes:
        across, down = x2 - x1, y2 - y1
        result.append([
            max(0, 4 * x1 - across), max(0, 4 * y1 - down),
            min(4 * SIZE[0], 4 * x2 + across), min(4 * SIZE[1], 4 * y2 + down),
        ])  # fmt: skip
    return result


def ranked(candidates, *, is_plural):
    """Return the boxes of the best label: all of them, or only the largest of the best score."""
    scored = [own for own in candidates if own["score"] is not None]
    if not scored:
        return []
    scored.sort(key=lambda own: -own["score"])
    same = [own for own in scored if own["label"] == scored[0]["label"]]
    if is_plural:
        return [box for own in same for box in own["boxes"]]
    top = [own for own in same if own["score"] == scored[0]["score"]]
    return biggest([box for own in top for box in own["boxes"]])


def randomly_drawn(phrases, kind, seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(2, 6, len(phrases))
    predictions = []
    for phrase, number in zip(phrases, numbers, strict=True):
        pool = of_setting(phrase, kind)
        boxes, labels = [], []
        for at in rng.permutation(len(pool)):
            if len(labels) < number and pool[at]["label"] not in labels:
                labels.append(pool[at]["label"])
                boxes += pool[at]["boxes"]
        predictions.append(boxes)
    return predictions


def of_setting(phrase, kind):
    return [own for own in phrase["candidates"] if kind == "all" or len(own["boxes"]) == 1]


def plain_system(phrase, kind, *, prune=False):
    """Return the boxes that the system predicts from the candidates of a setting."""
    candidates = of_setting(phrase, kind)
    if prune and kind == "all":
        wanted = [own for own in candidates if (len(own["boxes"]) > 1) == phrase["plural"]]
        candidates = wanted or candidates
    return ranked(candidates, is_plural=phrase["plural"] and kind == "all")


def plain_passes(phrases, kind, metric, *, given, seed):
    """Return whether each row's prediction passes, by row. `given` for predictions of the file."""
    use_file = given and kind == "all"
    system = [p["predicted"] if use_file else plain_system(p, kind) for p in phrases]
    pruned = [plain_system(phrase, kind, prune=True) for phrase in phrases]
    objects = [[box for own in of_setting(p, kind) for box in own["boxes"]] for p in phrases]
    image = [[0, 0, *SIZE]]
    rows = {"system": system, "pruned": pruned, "random": randomly_drawn(phrases, kind, seed)}
    flags = {
        name: [passes(p["gold"], boxes, metric) for p, boxes in zip(phrases, row, strict=True)]
        for name, row in rows.items()
    }
    flags["pruned_enlarged"] = [
        passes(phrase["gold"], grown(boxes), metric, scale=1)
        for phrase, boxes in zip(phrases, pruned, strict=True)
    ]
    flags["max_box"] = [
        (metric == "c_iou" or passes(phrase["gold"], image, "iou"))
        and (metric == "iou" or passes(phrase["gold"], boxes, "c_iou"))
        for phrase, boxes in zip(phrases, objects, strict=True)
    ]
    flags["upper_bound"] = [
        any(passes(phrase["gold"], own["boxes"], metric) for own in of_setting(phrase, kind))
        for phrase in phrases
    ]
    return flags


def plain_table(phrases, *, given=True, seed=3):
    """Return the accuracy of all and of plural phrases by row, setting and metric."""
    table = {}
    for kind in ("singles", "all"):
        for metric in ("iou", "c_iou", "both"):
            for name, flags in plain_passes(phrases, kind, metric, given=given, seed=seed).items():
                plural = [
                    flag for flag, phrase in zip(flags, phrases, strict=True) if phrase["plural"]
                ]
                table[name, kind, metric] = share(flags), share(plural)
    del table["pruned", "singles", "iou"], table["pruned", "singles", "c_iou"]
    del table["pruned", "singles", "both"]
    return table


def share(flags):
    return sum(flags) / len(flags)


# --- tests ---


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "phrases.jsonl"
    path.write_text("".join(json.dumps(phrase) + "\n" for phrase in seeded_phrases()))
    return path


@pytest.mark.slow
def test_table_equals_that_of_a_second_implementation(file):
    table = bias_report(evaluate_file(file, seed=3))["table"]
    assert table["pruned"]["singles"] is None
    accuracies = {
        (name, kind, metric): (own["all"]["accuracy"], own["plural"]["accuracy"])
        for name, kinds in table.items()
        for kind, metrics in kinds.items()
        for metric, own in (metrics or {}).items()
    }
    assert accuracies == plain_table(seeded_phrases())
    # Each row differs between the settings and between the rules.
    plural = {
        place[0]: own[1] for place, own in accuracies.items() if place[1:] == ("all", "c_iou")
    }
    assert len(set(plural.values())) == len(ROWS)


def test_statistics_and_disagreements_equal_those_of_a_second_implementation(file):
    phrases = seeded_phrases()
    evaluation = evaluate_file(file)
    gold = bias_report(evaluation)["gold"]
    plural = [phrase for phrase in phrases if phrase["plural"]]
    sizes = [len(phrase["gold"]) for phrase in plural]
    fillers = [1 - len(cells(p["gold"])) / len(cells(around(p["gold"]))) for p in plural]
    known = [phrase for phrase in phrases if phrase["cardinality"]]
    mismatches = sum(phrase["cardinality"] != len(phrase["gold"]) for phrase in known)
    assert gold["components"]["mean"] == pytest.approx(sum(sizes) / len(sizes))
    assert gold["components"]["phrases_by_number"] == {
        n: sizes.count(n) for n in sorted(set(sizes))
    }
    assert gold["filler"]["mean"] == pytest.approx(sum(fillers) / len(fillers))
    assert gold["filler"]["over_half"] == sum(filler > 0.5 for filler in fillers)
    assert gold["cardinality"]["mismatches"] == mismatches
    assert gold["cardinality"]["n"] == len(known)
    assert gold["plural_with_one_box"]["n"] == sizes.count(1)
    improper = [
        phrase
        for phrase in plural
        if len(phrase["gold"]) == 1 or phrase["cardinality"] not in (None, len(phrase["gold"]))
    ]
    assert gold["plural_without_components"] == {
        "n": len(improper), "share": pytest.approx(len(improper) / len(plural)),
    }  # fmt: skip
    differing = {
        phrase["id"]
        for phrase in phrases
        if passes(phrase["gold"], phrase["predicted"], "iou")
        != passes(phrase["gold"], phrase["predicted"], "c_iou")
    }
    cases = disagreements(evaluation)
    assert {case["id"] for case in cases} == differing
    differences = [abs(case["iou"] - case["c_iou"]) for case in cases]
    assert differences == sorted(differences, reverse=True)


def test_command_writes_the_report_and_a_gallery(file, tmp_path):
    images, out = tmp_path / "images", tmp_path / "report"
    images.mkdir()
    case = disagreements(evaluate_file(file))[0]
    Picture.new("RGB", SIZE, "#00ff00").save(images / f"{case['id'][1:]}.png")
    printed = StringIO()
    call_command(
        "ground_report", str(file), "--out", str(out), "--images", str(images), "--gallery", "5",
        "--json", stdout=printed,
    )  # fmt: skip
    report = json.loads(printed.getvalue())
    assert json.loads((out / "report.json").read_text()) == report
    assert len((out / "table.csv").read_text().splitlines()) == 37
    names = sorted(path.name for path in (out / "gallery").iterdir())
    assert names == [f"00{n}.{suffix}" for n in range(1, 6) for suffix in ("png", "svg")]
    with (
        Picture.open(out / "gallery" / "001.png") as with_boxes,
        Picture.open(out / "gallery" / "002.png") as without_boxes,
    ):
        assert with_boxes.size == without_boxes.size == SIZE
        assert (0, 255, 0) in {colour for _, colour in with_boxes.getcolors()}
        assert (0, 255, 0) not in {colour for _, colour in without_boxes.getcolors()}
    svg = (out / "gallery" / "001.svg").read_text()
    assert "data:image/jpeg;base64," in svg
    assert "phrase &amp; " in svg
    page = (out / "index.html").read_text()
    assert page.count("<figure>") == 5
    assert "Pruned and enlarged" in page


def test_command_prints_a_table_and_refuses_bad_files(file, tmp_path):
    printed = StringIO()
    call_command("ground_report", str(file), stdout=printed)
    assert "Upper bound" in printed.getvalue()
    assert "Only IoU accepts the prediction of" in printed.getvalue()
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": 1}\n')
    with pytest.raises(InputError, match=r"bad.jsonl, line 1"):
        call_command("ground_report", str(bad))


@pytest.mark.parametrize(
    ("candidates", "absent"),
    [
        (
            {},
            {
                "upper_bound": "there are no candidates",
                "pruned": "there are no candidates",
                "pruned_enlarged": "there are no candidates",
            },
        ),
        (
            {"candidates": [[[0, 0, 4, 4]]]},
            {
                "pruned": "the candidates have no scores",
                "pruned_enlarged": "the candidates have no scores",
            },
        ),
    ],
)
def test_rows_without_candidates_or_scores_are_absent_with_the_reason(tmp_path, candidates, absent):
    path = tmp_path / "phrases.jsonl"
    phrase = {"id": 1, "image": [9, 9], "gold": [[0, 0, 4, 4]], "predicted": [], "plural": False}
    path.write_text(json.dumps(phrase | candidates))
    report = bias_report(evaluate_file(path))
    assert report["absent"] == absent
    titles = dict(ROWS)
    for row in absent:
        assert report["table"][row] is None
        cells = [line[3:] for line in table_rows(report) if line[0] == titles[row]]
        assert cells == [(None, None)] * 6
        assert f"{titles[row]}: {absent[row]}." in PREDICTIONS.text(report)
        assert f"{titles[row]}: {absent[row]}." in PREDICTIONS.table(report).note


def test_predictions_are_rated_against_the_gold_of_a_project(tmp_path):
    path = tmp_path / "predictions.jsonl"
    lines = [
        {"id": "a#0/p0", "image": [100, 100], "predicted": [[0, 0, 100, 20]]},
        {"id": "a#0/p1", "image": [100, 100], "predicted": [[0, 0, 10, 10]]},
        {"id": "b#0/p0", "image": [100, 100], "predicted": [[0, 0, 10, 10]]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    target = {"phrases": [{"id": "p0", "start": 0, "end": 2, "plural": True, "cardinality": 2}]}
    content = {
        "phrases": [{"id": "p0", "state": "boxes", "boxes": [[0, 0, 20, 20], [80, 0, 100, 20]]}]
    }
    gold = GoldItem("a#0", ItemContext(["two", "dogs"], target, Image("a", 100, 100)), content)
    report = PREDICTIONS.compare(path, [gold], refuse)
    assert report["phrases"] == report["disagreements"]["iou_only"] == 1
    table = PREDICTIONS.table(report)
    assert {len(row) for row in table.rows} == {len(table.columns)}
    (case,) = PREDICTIONS.cases(json.loads(json.dumps(report)))
    assert (case.external_id, case.row.label) == ("a#0", "two dogs")
    assert case.row.predicted.boxes == [[0, 0, 100, 20]]
    assert case.row.detail == "IoU 1.00, c-IoU 0.40"
    assert PREDICTIONS.compare(path, [], refuse) is None
