"""The bias report, compared with a second implementation that counts pixels."""

import json
import random
from io import StringIO

import pytest
from django.core.management import call_command
from PIL import Image as Picture

from metrics.boxes import box_sets_from_lists, random_selections
from projects.command import InputError
from schemes.base import GoldItem, Image, ItemContext, refuse
from schemes.grounding.bias_report import ROWS, bias_report, disagreements, table_rows
from schemes.grounding.bias_report_files import PREDICTIONS
from schemes.grounding.evaluation import evaluate_file

SIZE = (24, 18)


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
        candidates = [[random_box(rng) for _ in range(rng.randint(1, 3))] for _ in range(4)]
        candidates += [[near(rng, box)] for box in gold]
        if rng.random() < 0.5:
            candidates.append([near(rng, box) for box in gold])
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


def plain_predictions(phrases, kind):
    """Return the predictions of the phrases for each row of the table. The random row is given."""
    pools = [list(dict.fromkeys(tuple(box) for c in p["candidates"] for box in c)) for p in phrases]
    selections = random_selections(box_sets_from_lists(pools), seed=3)
    bounds = selections.offsets.tolist()
    rows = {"system": [], "pruned": [], "max_box": [], "random": []}
    for at, phrase in enumerate(phrases):
        boxes = biggest(phrase["predicted"]) if kind == "singles" else phrase["predicted"]
        selected = selections.boxes[bounds[at] : bounds[at + 1]].tolist()
        rows["system"].append(boxes)
        rows["pruned"].append(boxes if phrase["plural"] else biggest(boxes))
        rows["max_box"].append([[0, 0, *SIZE]])
        rows["random"].append(selected[:1] if kind == "singles" else selected)
    return rows


def plain_table(phrases):
    flags = {}
    for kind in ("singles", "all"):
        rows = plain_predictions(phrases, kind)
        for metric in ("iou", "c_iou"):
            for name, predictions in rows.items():
                flags[name, kind, metric] = [
                    passes(phrase["gold"], boxes, metric)
                    for phrase, boxes in zip(phrases, predictions, strict=True)
                ]
            flags["pruned_enlarged", kind, metric] = [
                passes(phrase["gold"], grown(boxes), metric, scale=1)
                for phrase, boxes in zip(phrases, rows["pruned"], strict=True)
            ]
            flags["upper_bound", kind, metric] = [
                any(
                    passes(phrase["gold"], candidate, metric)
                    for candidate in phrase["candidates"]
                    if kind == "all" or len(candidate) == 1
                )
                for phrase in phrases
            ]
    plural = [phrase["plural"] for phrase in phrases]
    return {
        place: (
            share(row_flags),
            share([flag for flag, is_in in zip(row_flags, plural, strict=True) if is_in]),
        )
        for place, row_flags in flags.items()
    }


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
    report = bias_report(evaluate_file(file, seed=3))
    expected = plain_table(seeded_phrases())
    for name, _ in ROWS:
        for kind in ("singles", "all"):
            for metric in ("iou", "c_iou"):
                accuracies = report["table"][name][kind][metric]
                place = name, kind, metric
                values = accuracies["all"]["accuracy"], accuracies["plural"]["accuracy"]
                assert values == pytest.approx(expected[place]), place
    assert len(list(table_rows(report))) == 24


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
    assert len((out / "table.csv").read_text().splitlines()) == 25
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


def test_upper_bound_requires_candidates(tmp_path):
    path = tmp_path / "phrases.jsonl"
    phrase = {"id": 1, "image": [9, 9], "gold": [[0, 0, 4, 4]], "predicted": [], "plural": False}
    path.write_text(json.dumps(phrase))
    report = bias_report(evaluate_file(path))
    assert report["table"]["upper_bound"] is None
    assert next(table_rows(report))[3:] == (None, None)
    assert PREDICTIONS.text(report)


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
