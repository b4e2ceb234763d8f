"""record.js, which reports problems exactly for records that the parser refuses, and lexicon.js."""

import random

import pytest

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.frames.content import parse_generation
from schemes.frames.pages import PAGES
from tests.schemes.page_modules import page_with_modules

from .page_lexicon import LEXICON, ROLES

pytestmark = pytest.mark.browser

TOKENS = ["The", "best", "wine", "came", "mostly", "from", "France", "last", "year", "."]
TARGET = {"verb": [3], "lemma": "come", "fillers": {}}
METADATA = {
    "lemmas": ["the", "good", "wine", "come", "mostly", "from", "France", "last", "year", "."],
    "heads": [2, 2, 3, -1, 3, 6, 3, 8, 3, 3],
    "deprels": [
        "det",
        "amod",
        "nsubj",
        "root",
        "advmod",
        "case",
        "obl",
        "amod",
        "obl:tmod",
        "punct",
    ],
}
CONTEXT = ItemContext(TOKENS, TARGET, metadata=METADATA, resources={"lexicon": LEXICON})
FACTS = {
    "tokens": TOKENS,
    "target": TARGET,
    **PAGES.item(CONTEXT),
    "elementRoles": PAGES.shared([CONTEXT])["elementRoles"],
}
PROBLEMS = """([facts, frames, contents]) => contents.map((content) => {
    const state = record.resume(content, facts);
    const frame = frames[state.frame] ? {name: state.frame, ...frames[state.frame]} : null;
    const problems = record.problemsOf(state, facts, {frame, isUnknown: frame === null});
    return [record.submissionOf(state), problems.map(({message}) => message)];
})"""
ELEMENTS = ["", "Entity", "Origin", "Time", "Theme", "Goal", "Nonsense"]


def random_record(rng: random.Random) -> Json:
    heads = [[2], [6], [8], [5, 6], [0, 2], [3]]
    # Most records have few flaws, and many are valid.
    return {
        "step": "rate",
        "understood": rng.random() < 0.95,
        "skip": rng.choice(["no-frame", *[""] * 19]),
        "verb": rng.choice([[3], [3, 5]]),
        "frame": rng.choice(["", "Unheard_of", *["Origin", "Arriving"] * 9]),
        "arguments": [
            {
                "head": rng.choice(heads[at : at + 2]),
                "element": rng.choice(ELEMENTS),
                "role": rng.choice(["", "Boss", *ROLES * 2]),
            }
            for at in range(rng.randrange(4))
        ],
        "mentionsNone": True,
        "confidence": rng.choice([None, *[1, 2, 3, 4, 5] * 3]),
    }


def refusal_of(submission: Json) -> str:
    try:
        parse_generation(submission, CONTEXT)
    except ContentError as error:
        return str(error)
    return ""


def test_page_reports_problems_exactly_if_the_parser_refuses(chromium):
    rng = random.Random(18)
    records = [random_record(rng) for _ in range(2000)]
    with page_with_modules(chromium, "schemes/frames/record.js") as page:
        results = page.evaluate(PROBLEMS, [FACTS, LEXICON["frames"], records])
    accepted = 0
    for submission, problems in results:
        refusal = refusal_of(submission)
        assert bool(problems) == bool(refusal), (problems, refusal)
        accepted += not refusal
    assert 200 < accepted < 1800


def in_page(chromium, script: str, *arguments: object) -> object:
    with page_with_modules(chromium, "schemes/frames/record.js") as page:
        return page.evaluate(f"([facts, ...rest]) => {{ {script} }}", [FACTS, *arguments])


def test_role_follows_the_element_until_a_role_is_chosen(chromium):
    script = """
        const roles = [];
        let state = record.addArgument(record.resume(null, facts), [2], facts);
        const {key} = state.arguments[0];
        const change = (changes) => {
            state = record.changeArgument(state, key, changes, facts);
            roles.push(state.arguments[0].role);
        };
        change({});
        change({element: "Entity"});
        change({element: "Goal"});
        change({element: ""});
        change({head: [1]});
        change({role: "Asset", isOwnRole: true});
        change({element: "Entity"});
        return roles;
    """
    # The role follows from the dependency nsubj, the table of elements, or an element named like a role.
    assert in_page(chromium, script) == ["Agent", "Theme", "Goal", "Agent", "", "Asset", "Asset"]


@pytest.mark.parametrize(
    ("verb", "lemma"), [([3], "come"), ([3, 5], "come from"), ([3, 4, 5], "come mostly from")]
)
def test_lemma_of_a_verb_includes_its_particles(chromium, verb, lemma):
    assert in_page(chromium, "return record.lemmaOf(rest[0], facts);", verb) == lemma


def test_verb_token_cannot_be_removed(chromium):
    script = """
        const start = record.resume(null, facts);
        const wide = record.toggleVerb(start, 5, facts);
        return [record.toggleVerb(start, 3, facts) === start, wide.verb,
            record.toggleVerb(wide, 5, facts).verb];
    """
    assert in_page(chromium, script) == [True, [3, 5], [3]]


def test_draft_is_restored_unchanged(chromium):
    draft = {
        **{"step": "arguments", "understood": True, "skip": "", "verb": [3, 5]},
        **{"frame": "Origin", "confidence": 2, "mentionsNone": False},
        "arguments": [
            {"head": [2], "element": "Entity", "role": "Asset", "isOwnRole": True, "origin": 1},
            {
                "head": [6],
                "element": "Origin",
                "role": "Source",
                "isOwnRole": False,
                "origin": None,
            },
        ],
    }
    script = "return record.draftOf(record.resume(rest[0], facts));"
    assert in_page(chromium, script, draft) == draft


def test_disputed_record_opens_at_the_first_dispute(chromium):
    record = {
        **{"skip": "", "verb": [3], "lemma": "come", "frame": "Origin", "confidence": 4},
        "arguments": [
            {"head": [2], "filler": "wine", "element": "Entity", "role": "Theme"},
            {"head": [6], "filler": "France", "element": "Origin", "role": "Source"},
        ],
    }
    dispute = {"reason": "no", "proposal": ""}
    script = """
        return rest[1].map((disputes) => record.resume(rest[0], facts, disputes).step)
            .concat(record.resume(rest[0], facts).arguments.map(({origin}) => origin));
    """
    disputes = [
        {"frame": [dispute], "arguments": [{**dispute, "argument": 1, "part": "role"}]},
        {"frame": [], "arguments": [{**dispute, "argument": 1, "part": "role"}]},
        {"missing": [{"head": [8], "element": "Time", "role": "Time"}]},
        {},
    ]
    expected = ["frame", "arguments", "arguments", "rate", 0, 1]
    assert in_page(chromium, script, record, disputes) == expected


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "new"),
        ({"understood": True}, "started"),
        ({"verb": [3, 5]}, "started"),
        ({"understood": True, "frame": "Origin"}, "started"),
        ({"understood": True, "frame": "Origin", "confidence": 3}, "started"),
        (
            {"understood": True, "frame": "Origin", "confidence": 3, "mentionsNone": True},
            "done",
        ),
        ({"skip": "other"}, "skipped"),
    ],
)
def test_status_of_a_record(chromium, changes, status):
    script = """
        const state = {...record.resume(null, facts), ...rest[0]};
        const problems = record.problemsOf(state, facts, {frame: null, isUnknown: false});
        return record.statusOf(state, problems, facts);
    """
    assert in_page(chromium, script, changes) == status


# --- the lexicon ---------------------------------------------------------------------------------

INDEX = {
    "frames": [
        ["Arriving", "Something reaches a goal.", ["come", "arrive"]],
        ["Becoming", "Something changes into another state.", ["become"]],
        ["Come_together", "People gather.", ["gather"]],
        ["Motion", "Something moves, or comes along.", ["move"]],
        ["Origin", "Something began somewhere.", ["come from"]],
    ],
    "extra": [["come", "Motion", 0.2], ["come", "Becoming", 0.7], ["come", "Lost", 1.0]],
}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("motion", ["Motion"]),
        ("come", ["Arriving", "Come_together", "Origin", "Becoming", "Motion"]),
        ("come from", ["Origin"]),
        ("  COME_tog ", ["Come_together"]),
        ("something goal", ["Arriving"]),
        ("nothing of this", []),
        ("", []),
    ],
)
def test_frames_are_found_by_name_unit_and_definition(chromium, query, names):
    with page_with_modules(chromium, "schemes/frames/lexicon.js") as page:
        results = page.evaluate(
            "([data, query]) => new lexicon.Index(data).search(query).map(({name}) => name)",
            [INDEX, query],
        )
    assert results == names


def test_suggestions_are_ranked(chromium):
    precedents = [
        {"frame": "Come_together", "lemma": "come", "count": 1},
        {"frame": "Becoming", "lemma": "come_from", "count": 3},
        {"frame": "Gone", "lemma": "come", "count": 9},
    ]
    with page_with_modules(chromium, "schemes/frames/lexicon.js") as page:
        suggested = page.evaluate(
            """([data, precedents]) => new lexicon.Index(data)
                .suggest({lemma: "come from", head: "come"}, precedents)
                .map(({entry, reason}) => [entry.name, reason])""",
            [INDEX, precedents],
        )
    assert suggested == [
        ["Becoming", "chosen 3 times for “come from”, extra lexical unit “come”"],
        ["Origin", "lexical unit “come from”"],
        ["Come_together", "chosen once for “come”"],
        ["Arriving", "lexical unit “come”"],
        ["Motion", "extra lexical unit “come”"],
    ]
