"""Tutorials for a worker's first task, on a sentence like those of the sample corpus."""

from functools import cache

from schemes.contract.items import ItemContext
from schemes.contract.pages import Goal, Tutorial, TutorialStep
from schemes.contract.values import Json
from schemes.frames.content import parse_gold
from schemes.original_text import align

_TOKENS = "Two neighbours gave the children their old skis .".split()  # noqa: SIM905
_TEXT = "Two neighbours gave the children their old skis."
_CONTEXT = ItemContext(
    tokens=_TOKENS,
    text=_TEXT,
    offsets=align(_TOKENS, _TEXT) or (),
    target={"verb": [2], "lemma": "give", "fillers": {}},
    metadata={
        "lemmas": ["two", "neighbour", "give", "the", "child", "their", "old", "ski", "."],
        "heads": [1, 2, -1, 4, 2, 7, 7, 2, 2],
        "deprels": [
            *("nummod", "nsubj", "root", "det", "iobj", "nmod:poss", "amod", "obj", "punct"),
        ],
    },
)
_DONOR = {"head": [1], "element": "Donor", "role": "Agent"}
_RECIPIENT = {"head": [4], "element": "Recipient", "role": "Recipient"}
_THEME = {"head": [7], "element": "Theme", "role": "Theme"}


def _record(*arguments: Json) -> Json:
    record = {"verb": [2], "frame": "Giving", "arguments": list(arguments), "confidence": 4}
    return parse_gold(record, _CONTEXT)


@cache
def generator() -> Tutorial:
    return Tutorial(
        context=_CONTEXT,
        steps=(
            TutorialStep(
                "Read the sentence",
                "The marked verb is “gave”. Make sure that you understand it here, and confirm it "
                "with the button or Enter.",
                [Goal("understood", value=True)],
            ),
            TutorialStep(
                "Choose a frame",
                "A frame describes a situation. Choose the one that fits best, such as giving: "
                "move with the arrow keys, or press / to search. Press Enter to continue.",
                [Goal("frame")],
            ),
            TutorialStep(
                "Select an argument",
                "In the step Arguments, click the most important word of the giver: “neighbours”. "
                "By keyboard, move in the sentence and press Enter.",
                [Goal("arguments.*.head", [1])],
            ),
            TutorialStep(
                "Label the argument",
                "Choose the frame element of “neighbours”, for example the one who gives. Each "
                "element has a letter as its key.",
                [Goal("arguments.*.element")],
            ),
            TutorialStep(
                "Select the rest, and rate",
                "In the task, mark every argument like this, rate your confidence in the step Rate, "
                "and submit. You can skip sentences that can't be annotated. Ctrl+Z undoes.",
            ),
        ),
    )


@cache
def consolidator() -> Tutorial:
    wrong = {**_RECIPIENT, "role": "Location"}
    adjective = {"head": [6], "element": "Manner", "role": "Attribute"}
    return Tutorial(
        context=_CONTEXT,
        sources=(_record(_DONOR, _RECIPIENT, _THEME), _record(_DONOR, wrong, adjective, _THEME)),
        steps=(
            TutorialStep(
                "Keep what both agree on",
                "Two annotators, A and B, labelled “gave”. Choose “Keep what both agree on”, or press "
                "Shift+G.",
                [Goal("rows.0.choice", "kept")],
            ),
            TutorialStep(
                "Choose between two labels",
                "For “children”, A chose the role Recipient, and B Location. The children receive "
                "something: keep A's argument, with the button or the key a.",
                [Goal("rows.1.choice", "kept")],
            ),
            TutorialStep(
                "Drop a wrong argument",
                "Only B marked “old”, which isn't an argument of “gave”. Drop it, or press x.",
                [Goal("rows.2.choice", "dropped")],
            ),
            TutorialStep(
                "Rate the result",
                "Rate your confidence in the result, from 1 (a guess) to 5 (certain).",
                [Goal("confidence")],
            ),
            TutorialStep(
                "Submit when everything is decided",
                "The line above the frame shows what is left to do. You can change words and labels, and "
                "add an argument that both missed. Ctrl+Z undoes.",
            ),
        ),
    )


@cache
def validator() -> Tutorial:
    wrong = {**_RECIPIENT, "element": "Theme"}
    return Tutorial(
        context=_CONTEXT,
        sources=(_record(_DONOR, wrong),),
        steps=(
            TutorialStep(
                "Verify the verb and the frame",
                "An annotator marked “gave” as the verb and chose its frame. Verify both with the "
                "buttons, or press v for each.",
                [Goal("verb.verdict", "verified"), Goal("frame.verdict", "verified")],
            ),
            TutorialStep(
                "Verify an argument",
                "The words, element and role of “neighbours” are correct. Verify the three parts, "
                "with v for each or with the button for all.",
                [Goal("arguments.0.role.verdict", "verified")],
            ),
            TutorialStep(
                "Dispute a part",
                "“children” has the element Theme, but the children receive something. Dispute the "
                "element, or press d, and explain why.",
                [
                    Goal("arguments.1.element.verdict", "disputed"),
                    Goal("arguments.1.element.reason"),
                ],
            ),
            TutorialStep(
                "Add a missing argument",
                "What is given isn't marked. Press m or “Add a missing argument”, and click “skis”.",
                [Goal("missing.*.head", [7])],
            ),
            TutorialStep(
                "Submit when every part is judged",
                "The line above the frame shows what is left to do. Write reasons that help the "
                "annotator. Ctrl+Z undoes.",
            ),
        ),
    )


TUTORIALS = {"generator": generator, "consolidator": consolidator, "validator": validator}
