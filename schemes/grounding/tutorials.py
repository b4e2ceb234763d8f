"""Tutorials for a worker's first task, on the first of the sample pictures."""

from dataclasses import replace
from functools import cache

from schemes.contract.items import ItemContext
from schemes.contract.pages import Goal, Tutorial, TutorialStep
from schemes.contract.records import ItemRecord
from schemes.contract.values import Image, Json
from schemes.grounding.corpus import CORPUS
from schemes.original_text import align

PICTURE = "img/tutorial-meadow.png"
_TOKENS = "Two dogs chase a red ball across a meadow .".split()  # noqa: SIM905
_TEXT = "Two dogs chase a red ball across a meadow."
_PLAIN = ItemContext(
    tokens=_TOKENS,
    image=Image("meadow-01.png", 480, 320),
    text=_TEXT,
    offsets=align(_TOKENS, _TEXT) or (),
)
_PHRASES = [
    {"start": 0, "end": 2, "plural": True, "cardinality": 2, "types": ["animals"]},
    {"start": 3, "end": 6, "plural": False, "cardinality": None, "types": ["other"]},
    {"start": 7, "end": 9, "plural": False, "cardinality": None, "types": ["scene"]},
]
_DOGS, _BALL = [[69, 212, 182, 275], [219, 233, 321, 290]], [[332, 274, 358, 300]]
_TREE = [[337, 62, 463, 240]]


@cache
def _context() -> ItemContext:
    record = ItemRecord("meadow-01.png#0", "phrases", {"phrases": _PHRASES})
    return replace(_PLAIN, target=CORPUS.complete_item(record, _PLAIN).target)


def _source(*answers: tuple[str, list[list[int]]]) -> Json:
    """Return an annotation with the states and boxes of the phrases."""
    phrases = _context().target["phrases"]
    return {
        "phrases": [
            {"id": phrase["id"], "state": state, "boxes": boxes}
            for phrase, (state, boxes) in zip(phrases, answers, strict=True)
        ]
    }


@cache
def generator() -> Tutorial:
    return Tutorial(
        context=_context(),
        picture=PICTURE,
        steps=(
            TutorialStep(
                "Draw a box",
                "The current phrase is “Two dogs”. Draw a tight box around one dog: drag from corner "
                "to corner. By keyboard, Enter starts and places a box, the arrow keys move it, and "
                "Space switches to resizing.",
                [Goal("phrases.0.boxes.0")],
            ),
            TutorialStep(
                "Draw one box for each thing",
                "The phrase mentions two dogs. Draw a box around the other dog as well.",
                [Goal("phrases.0.boxes.1")],
            ),
            TutorialStep(
                "Go to the next phrase",
                "Choose Next phrase, or press n, and draw a box around the red ball.",
                [Goal("phrases.1.boxes.0")],
            ),
            TutorialStep(
                "Mark phrases without a box",
                "“a meadow” is the scene itself. Go to it, and choose “Nothing to box”, or press s. "
                "For things that aren't in the picture, press x.",
                [Goal("phrases.2.state", "scene")],
            ),
            TutorialStep(
                "Submit when every phrase has an answer",
                "The list of phrases shows what is left. Boxes can be moved, resized and used for "
                "other phrases. Ctrl+Z undoes.",
            ),
        ),
    )


@cache
def consolidator() -> Tutorial:
    shifted = [[left - 20, top - 20, right - 20, bottom] for left, top, right, bottom in _DOGS]
    return Tutorial(
        context=_context(),
        picture=PICTURE,
        sources=(
            _source(("boxes", _DOGS), ("boxes", _BALL), ("scene", [])),
            _source(("boxes", shifted), ("absent", []), ("scene", [])),
        ),
        steps=(
            TutorialStep(
                "Use the better boxes",
                "A and B drew different boxes for “Two dogs”. A's boxes are tighter. Use the answer "
                "of A, or press 1.",
                [Goal("phrases.0.boxes")],
            ),
            TutorialStep(
                "Choose the correct answer",
                "Press n for the next open phrase. A boxed the red ball, and B says that it is not in "
                "the picture. The ball is there, so use the answer of A, or press 1.",
                [Goal("phrases.1.boxes")],
            ),
            TutorialStep(
                "Check what both agree on",
                "Both say that “a meadow” is the scene. Such phrases are already answered, and "
                "the list shows their source. Go to it with j to check it.",
                [Goal("current", _context().target["phrases"][2]["id"])],
            ),
            TutorialStep(
                "Correct a box",
                "You can also move, resize or remove a box, use the mean of two boxes with m, or "
                "draw a new one. Try it on a dog, or continue.",
            ),
            TutorialStep(
                "Submit when every phrase has an answer",
                "The list of phrases shows what is left. Ctrl+Z undoes.",
            ),
        ),
    )


@cache
def validator() -> Tutorial:
    return Tutorial(
        context=_context(),
        picture=PICTURE,
        sources=(_source(("boxes", _DOGS), ("boxes", _TREE), ("absent", [])),),
        steps=(
            TutorialStep(
                "Accept correct boxes",
                "The boxes of “Two dogs” are correct, and none is missing. Accept everything with the "
                "button, or press v.",
                [Goal("phrases.0.valid", value=True)],
            ),
            TutorialStep(
                "Dispute a box",
                "The box of “a red ball” is around the tree. Press 1, or dispute the box in the panel.",
                [Goal("phrases.1.boxes.0", value=False)],
            ),
            TutorialStep(
                "Report a missing box",
                "The ball has no box. Choose that a box is missing, or press m. You can draw it: drag in "
                "the picture, or press b. Then continue with v.",
                [Goal("phrases.1.missing", value=True)],
            ),
            TutorialStep(
                "Dispute an answer",
                "“a meadow” was answered with “Not in the picture”, but the whole picture shows it. "
                "Choose No, or press d.",
                [Goal("phrases.2.valid", value=False)],
            ),
            TutorialStep(
                "Submit when everything is judged",
                "The list of phrases shows what is left. Ctrl+Z undoes.",
            ),
        ),
    )


TUTORIALS = {"generator": generator, "consolidator": consolidator, "validator": validator}
