"""Page modules, which keep boxes valid and report problems exactly for content that a parser refuses."""

import random

import pytest

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.values import Image, Json
from schemes.grounding.content import parse_consolidation, parse_generation
from schemes.grounding.merging import gold_of, lay_out
from schemes.grounding.pages import AGREED_IOU
from schemes.grounding.validating import is_new
from schemes.grounding.validating import parse as parse_validation
from tests.schemes.page_modules import page_with_modules

from .items import CONTEXT, PHRASES, TOKENS, grounding

pytestmark = pytest.mark.browser

IMAGE = {"width": 500, "height": 375}
LEFT, RIGHT, CAR = [10, 20, 60, 120], [80, 20, 130, 120], [200, 100, 400, 220]
WIDE = [80, 20, 140, 120]

# --- geometry ------------------------------------------------------------------------------------

RANDOM_BOXES = """([image, least, moves]) => moves.map(([kind, a, b, handle]) => {
    const box = geometry.boxBetween({x: a[0], y: a[1]}, {x: b[0], y: b[1]}, image);
    if (!geometry.isLargeEnough(box, least, image)) return null;
    const by = {x: a[2], y: b[2]};
    if (kind === "draw") return [box, box];
    if (kind === "move") return [box, geometry.moved(box, by, image)];
    return [box, geometry.resized(box, handle, by, image, least)];
})"""


@pytest.mark.parametrize("size", [(500, 375), (3, 900), (1, 1), (2, 40)])
def test_boxes_stay_valid_for_any_pointer_moves(chromium, size):
    rng = random.Random(19)
    width, height = size

    def place() -> list[float]:
        return [
            rng.uniform(-width, 2 * width),
            rng.uniform(-height, 2 * height),
            rng.uniform(-900, 900),
        ]

    handles = ["nw", "n", "ne", "e", "se", "s", "sw", "w"]
    kinds = ["draw", "move", "resize"]
    moves = [[rng.choice(kinds), place(), place(), rng.choice(handles)] for _ in range(2000)]
    with page_with_modules(chromium, "schemes/grounding/geometry.js") as page:
        image = {"width": width, "height": height}
        pairs = page.evaluate(RANDOM_BOXES, [image, 3, moves])
    context = ItemContext(["it"], {"phrases": [{**PHRASES[0], "end": 1}]}, Image("1", *size))
    drawn_boxes = 0
    for (kind, *_), pair in zip(moves, pairs, strict=True):
        if pair is None:
            continue
        before, after = pair
        parse_generation(grounding(("boxes", [before])), context)
        parse_generation(grounding(("boxes", [after])), context)
        drawn_boxes += 1
        if kind == "move":
            assert [after[2] - after[0], after[3] - after[1]] == [
                before[2] - before[0],
                before[3] - before[1],
            ]
        assert after[2] - after[0] >= min(3, width)
        assert after[3] - after[1] >= min(3, height)
    assert drawn_boxes > 300


@pytest.mark.parametrize(
    ("handle", "box"),
    [
        ("nw", [20, 30, 60, 120]),
        ("n", [10, 30, 60, 120]),
        ("se", [10, 20, 70, 130]),
        ("w", [20, 20, 60, 120]),
    ],
)
def test_handle_moves_its_sides(chromium, handle, box):
    script = "([box, handle, image]) => geometry.resized(box, handle, {x: 10, y: 10}, image, 3)"
    with page_with_modules(chromium, "schemes/grounding/geometry.js") as page:
        assert page.evaluate(script, [LEFT, handle, IMAGE]) == box


def test_hit_test_prefers_the_smallest_box(chromium):
    script = """([boxes, point]) =>
        geometry.hitTest(boxes.map((box, key) => ({key, box})), point).map(({key}) => key)"""
    boxes = [[0, 0, 400, 300], [50, 50, 100, 100], [60, 60, 300, 200]]
    with page_with_modules(chromium, "schemes/grounding/geometry.js") as page:
        assert page.evaluate(script, [boxes, {"x": 70, "y": 70}]) == [1, 2, 0]
        assert page.evaluate(script, [boxes, {"x": 100, "y": 100}]) == [2, 0]
        assert page.evaluate(script, [boxes, {"x": 400, "y": 300}]) == []


# --- the view ------------------------------------------------------------------------------------

WALK = """([image, stages, steps]) => {
    const view = new viewport.Viewport(image);
    view.resize(stages[0]);
    return steps.map(([kind, a, b, factor]) => {
        const fixed = {x: a * view.stage.width, y: b * view.stage.height};
        const before = view.toImage(fixed);
        if (kind === "zoom") view.zoomBy(factor, fixed);
        if (kind === "pan") view.panBy({x: (a - 0.5) * 900, y: (b - 0.5) * 900});
        if (kind === "resize") view.resize(stages[Math.floor(a * stages.length)]);
        const box = [a * 100, b * 100, a * 100 + 9, b * 100 + 9];
        const [x1, y1] = view.toStage(box);
        const back = view.toImage({x: x1, y: y1});
        const left = view.x, right = view.stage.width - view.x - image.width * view.scale;
        if (kind === "reveal") view.reveal(box);
        const seen = view.toStage(box);
        return {
            kind, zoom: view.zoom, left, right,
            error: Math.abs(back.x - box[0]) + Math.abs(back.y - box[1]),
            isSeen: seen[0] >= 0 && seen[1] >= 0 && seen[2] <= view.stage.width &&
                seen[3] <= view.stage.height,
        };
    });
}"""


def test_view_stays_on_the_image_at_every_zoom(chromium):
    rng = random.Random(3)
    kinds = ["zoom", "zoom", "pan", "resize", "reveal"]
    steps = [
        [rng.choice(kinds), rng.random(), rng.random(), rng.choice([0.2, 0.7, 1.3, 3, 20])]
        for _ in range(1500)
    ]
    stages = [{"width": 820, "height": 540}, {"width": 328, "height": 246}]
    with page_with_modules(chromium, "schemes/grounding/viewport.js") as page:
        results = page.evaluate(WALK, [IMAGE, stages, steps])
    assert {1, 8} <= {result["zoom"] for result in results}
    for result in results:
        assert 1 <= result["zoom"] <= 8
        assert result["error"] < 1e-6
        # Margins on both sides are equal, or there is none.
        assert result["left"] == pytest.approx(result["right"], abs=1e-6) or (
            result["left"] < 1e-6 and result["right"] < 1e-6
        )
        assert result["isSeen"] or result["kind"] != "reveal"


# --- annotation ----------------------------------------------------------------------------------

PLAY = """([facts, games]) => games.map((moves) => {
    let state = grounding.resume(null, facts.phrases);
    for (const [kind, at, value, from] of moves) {
        if (kind === "add") state = grounding.addBox(state, value, at).state;
        if (kind === "state") state = grounding.chooseState(state, value, at);
        if (kind === "copy") state = grounding.copyAnswer(state, from, at);
        const keys = Object.keys(state.boxes);
        const key = keys[from % Math.max(1, keys.length)];
        if (kind === "remove" && key) state = grounding.removeBox(state, key, at);
        if (kind === "adopt" && key) state = grounding.adopt(state, key, at);
        if (kind === "change" && key) state = grounding.changeBox(state, key, value);
    }
    const again = grounding.resume(grounding.draftOf(state), facts.phrases);
    return {
        submission: grounding.submissionOf(state),
        again: grounding.submissionOf(again),
        problems: grounding.problemsOf(state, facts).length,
        units: grounding.countBoxes(state),
    };
})"""
FACTS = {"tokens": TOKENS, "phrases": PHRASES}


def is_refused(parse, *arguments) -> bool:
    try:
        parse(*arguments)
    except ContentError:
        return True
    return False


def random_moves(rng: random.Random) -> list:
    kinds = ["add", "add", "state", "copy", "remove", "adopt", "change"]
    states = ["boxes", "group", "scene", "absent"]
    moves = []
    for _ in range(rng.randrange(4, 25)):
        kind = rng.choice(kinds)
        box = rng.choice([LEFT, RIGHT, CAR, WIDE])
        value = rng.choice(states) if kind == "state" else box
        moves.append([kind, rng.randrange(4), value, rng.randrange(4)])
    return moves


@pytest.mark.parametrize("count", [300, pytest.param(1500, marks=pytest.mark.long)])
def test_page_reports_problems_exactly_if_the_parser_refuses(chromium, count):
    rng = random.Random(20)
    games = [random_moves(rng) for _ in range(count)]
    with page_with_modules(chromium, "schemes/grounding/grounding.js") as page:
        results = page.evaluate(PLAY, [FACTS, games])
    accepted = 0
    for result in results:
        submission = result["submission"]
        assert bool(result["problems"]) == is_refused(parse_generation, submission, CONTEXT)
        assert result["again"] == submission
        boxes = {tuple(box) for phrase in submission["phrases"] for box in phrase["boxes"]}
        assert result["units"] == len(boxes)
        accepted += not result["problems"]
    assert count / 15 < accepted < count * 14 / 15


@pytest.mark.parametrize(
    ("answer", "phrase", "text", "warns"),
    [
        (("boxes", 2), {"cardinality": 3, "plural": True}, "2 of 3 boxes", True),
        (("boxes", 3), {"cardinality": 3, "plural": True}, "3 of 3 boxes", False),
        (("boxes", 1), {"cardinality": None, "plural": True}, "1 box", True),
        (("boxes", 2), {"cardinality": None, "plural": True}, "2 boxes", False),
        (("boxes", 2), {"cardinality": 1, "plural": False}, "2 boxes", True),
        (("boxes", 1), {"cardinality": 1, "plural": False}, "1 box", False),
        (("group", 1), {"cardinality": 3, "plural": True}, "group box", False),
        (("group", 0), {"cardinality": 3, "plural": True}, "no group box yet", False),
        (("scene", 0), {"cardinality": None, "plural": False}, "nothing to box", False),
        (("", 0), {"cardinality": 3, "plural": True}, "0 of 3 boxes", False),
        (("", 0), {"cardinality": None, "plural": False}, "to do", False),
    ],
)
def test_number_of_boxes_is_compared_with_the_phrase(chromium, answer, phrase, text, warns):
    state, count = answer
    script = """([answer, phrase]) =>
        [grounding.progressText(answer, phrase), grounding.countWarning(answer, phrase) !== ""]"""
    keys = [str(number) for number in range(count)]
    with page_with_modules(chromium, "schemes/grounding/grounding.js") as page:
        result = page.evaluate(script, [{"state": state, "keys": keys}, phrase])
    assert result == [text, warns]


def test_phrases_of_a_chain_share_a_colour_and_offer_their_answers(chromium):
    script = """([facts, content]) => {
        const state = grounding.resume(content, facts.phrases);
        const offers = facts.phrases.map((_, at) => grounding.chainAnswers(state, facts.phrases, at));
        return [grounding.coloursOf(facts.phrases), offers];
    }"""
    content = grounding(("boxes", [LEFT, RIGHT]), ("boxes", [CAR]), ("scene", []))
    with page_with_modules(chromium, "schemes/grounding/grounding.js") as page:
        colours, offers = page.evaluate(script, [FACTS, content])
    assert colours == [1, 2, 3, 1]
    assert offers == [[], [], [], [0]]


# --- consolidation -------------------------------------------------------------------------------

OURS = grounding(("boxes", [LEFT, RIGHT]), ("boxes", [CAR]), ("scene", []), ("boxes", [LEFT]))
THEIRS = grounding(("boxes", [LEFT, WIDE]), ("boxes", [CAR]), ("group", [CAR]), ("absent", []))
MERGE = """([phrases, sources, layout, moves]) => {
    const rows = merging.rowsOf(layout, sources);
    const facts = {phrases, sources, rows, least: 0.9};
    let state = merging.resume(null, facts);
    const choices = [];
    for (const [kind, at, value, row] of moves) {
        if (kind === "source") state = merging.takeSource(state, at, value, facts);
        if (kind === "all") state = merging.takeAll(state, at, rows);
        if (kind === "means") state = merging.takeMeans(state, at, rows);
        if (kind === "row") {
            state = merging.choose(state, at, rows[at][row], value);
            choices.push(merging.choiceOf(state, at, rows[at][row]));
        }
    }
    const again = merging.resume(grounding.draftOf(state), facts);
    return {
        submission: grounding.submissionOf(state),
        again: grounding.submissionOf(again),
        open: state.phrases.map((answer) => !grounding.isAnswered(answer)),
        choices,
    };
}"""


def merge(chromium, *moves: list, sources: tuple[Json, Json] = (OURS, THEIRS)) -> Json:
    with page_with_modules(chromium, "schemes/grounding/merging.js") as page:
        layout = lay_out(sources, CONTEXT)
        result: Json = page.evaluate(MERGE, [PHRASES, list(sources), layout, list(moves)])
    assert result["again"] == result["submission"]
    return result


def test_phrases_that_both_agree_on_are_proposed(chromium):
    result = merge(chromium)
    assert result["open"] == [True, False, True, True]
    assert result["submission"]["phrases"][1] == OURS["phrases"][1]
    assert merge(chromium, sources=(OURS, OURS))["submission"] == OURS


@pytest.mark.parametrize(("position", "source"), [(0, OURS), (1, THEIRS)])
def test_whole_answer_of_a_source_is_kept(chromium, position, source):
    other = 1 - position
    moves = [["source", at, from_, 0] for at in range(4) for from_ in (other, position)]
    result = merge(chromium, *moves)
    assert result["submission"] == source
    gold, provenance = gold_of(
        parse_consolidation(result["submission"], CONTEXT, [OURS, THEIRS]), [OURS, THEIRS]
    )
    assert gold == source
    assert {origin["state"] for origin in provenance} == {"kept"}


def test_row_choices_keep_either_both_the_mean_or_neither(chromium):
    choices = [0, 1, "all", "mean", "none"]
    boxes = {
        0: [LEFT, RIGHT],
        1: [LEFT, WIDE],
        "all": [LEFT, RIGHT, WIDE],
        "mean": [LEFT, [80, 20, 135, 120]],
        "none": [LEFT],
    }
    for choice in choices:
        result = merge(chromium, ["source", 0, 0, 0], ["row", 0, choice, 1])
        assert result["choices"] == [choice]
        assert result["submission"]["phrases"][0] == {
            "id": "p0",
            "state": "boxes",
            "boxes": boxes[choice],
        }


def test_all_boxes_or_all_means_can_be_chosen(chromium):
    phrases = merge(chromium, ["all", 0, 0, 0], ["means", 3, 0, 0])["submission"]["phrases"]
    assert phrases[0]["boxes"] == [LEFT, RIGHT, WIDE]
    assert phrases[3] == {"id": "p3", "state": "boxes", "boxes": [LEFT]}
    means = merge(chromium, ["means", 0, 0, 0])["submission"]["phrases"][0]["boxes"]
    assert means == [LEFT, [80, 20, 135, 120]]


# --- validation ----------------------------------------------------------------------------------

JUDGE = """([asked, texts, games]) => games.map((moves) => {
    let state = validation.resume(null, asked);
    const limits = {maxBoxes: 50, maxItemBoxes: 200, agreedIou: 0.9};
    for (const [kind, at, value, box] of moves) {
        if (kind === "accept") state = validation.acceptRest(state, at);
        if (kind === "valid") state = validation.judge(state, {valid: value}, at);
        if (kind === "missing") state = validation.judgeMissing(state, value, at);
        if (kind === "box") state = validation.judgeBox(state, 0, value, at);
        if (kind !== "draw" || !validation.canDraw(asked[at])) continue;
        const problem = validation.drawingProblem({...state, current: at}, asked, box, limits);
        if (!problem) state = validation.drawBox(state, box, at);
    }
    return {
        submission: validation.submissionOf(state, asked),
        problems: validation.problemsOf(state, asked, texts).length,
    };
})"""


@pytest.mark.parametrize("count", [200, pytest.param(800, marks=pytest.mark.long)])
def test_validation_is_incomplete_exactly_if_the_parser_refuses(chromium, count):
    rng = random.Random(21)
    kinds = ["accept", "accept", "valid", "missing", "box", "draw"]
    games = [
        [
            [rng.choice(kinds), rng.randrange(4), rng.random() < 0.5, near_boxes(rng)]
            for _ in range(16)
        ]
        for _ in range(count)
    ]
    texts = ["Two women", "a red car", "a race", "their dogs"]
    with page_with_modules(chromium, "schemes/grounding/validation.js") as page:
        results = page.evaluate(JUDGE, [THEIRS["phrases"], texts, games])
    accepted = drawn = 0
    for result in results:
        drawn += sum(len(judged.get("drawn", ())) for judged in result["submission"]["phrases"])
        is_invalid = is_refused(parse_validation, result["submission"], CONTEXT, [THEIRS])
        # A missing verdict is asked for and has a default.
        assert result["problems"] >= is_invalid
        accepted += not result["problems"]
        if not result["problems"]:
            assert not is_invalid
    assert count / 8 < accepted < count * 0.975
    assert drawn > count / 4


def near_boxes(rng):
    """Return a box near one of the annotator's, so that some are the same."""
    x1, y1, x2, y2 = rng.choice([LEFT, RIGHT, WIDE])
    return [x1 + rng.randint(0, 3), y1 + rng.randint(0, 3), x2 + rng.randint(0, 9), y2]


def test_box_that_is_already_there_is_the_same_for_page_and_parser(chromium):
    asked = [{"id": "p0", "state": "boxes", "boxes": [[10, 20, 60, 120]]}]
    rng = random.Random(4)
    boxes = [[10, 20, 55, 120], [10, 20, 54, 120], [11, 20, 56, 121]]
    boxes += [
        [10 + rng.randint(0, 3), 20 + rng.randint(0, 3), 60 - rng.randint(0, 3), 120]
        for _ in range(200)
    ]
    call = """([asked, boxes, limits]) => boxes.map((box) =>
        validation.drawingProblem(validation.resume(null, asked), asked, box, limits))"""
    limits = {"maxBoxes": 50, "maxItemBoxes": 200, "agreedIou": AGREED_IOU}
    with page_with_modules(chromium, "schemes/grounding/validation.js") as page:
        problems = page.evaluate(call, [asked, boxes, limits])
    assert problems[:2] == ["This box is already there.", ""]
    assert [not problem for problem in problems] == [
        is_new(box, asked[0]["boxes"]) for box in boxes
    ]
    assert 50 < sum(map(bool, problems)) < 200
