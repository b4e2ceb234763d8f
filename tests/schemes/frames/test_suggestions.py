"""The order of suggested frames and roles, in Python and on pages, and the report on them."""

import random
from dataclasses import replace

import pytest

from schemes.contract.items import ItemContext
from schemes.contract.statistics import AnnotatedItem
from schemes.contract.values import Json
from schemes.frames.frame_ranking import UnitIndex, nouns_of_light_verb, rank_frames
from schemes.frames.lexicon import LEXICON as RESOURCE
from schemes.frames.pages import PAGES
from schemes.frames.precedents import chosen_frames, element_roles
from schemes.frames.role_rules import likely_roles, role_hints
from schemes.frames.statistics import tables
from tests.schemes.page_modules import page_with_modules

from .page_lexicon import LEXICON, frame

FRAMES = {
    "Building": frame("Somebody makes a building.", ["build.v", "make.v"], Agent="Core"),
    "Causation": frame("Something causes something.", ["make.v"], Cause="Core"),
    "Creating": frame("Somebody makes something.", ["create.v"], Creator="Core"),
    "Deciding": frame("Somebody decides.", ["decide.v", "decision.n"], Cognizer="Core"),
    "Cooking": frame("Somebody makes food.", ["make.v", "cake.n"], Cook="Core"),
}
MAKE: Json = {
    **LEXICON,
    "frames": FRAMES,
    "extra_units": [["make", "Creating", 0.4], ["make", "Deciding", 0.1]],
}
UNITS = UnitIndex.of(MAKE)


def chosen(name: str, count: int, *words: str, lemma: str = "make") -> Json:
    return {"frame": name, "lemma": lemma, "count": count, "words": [*words]}


@pytest.mark.parametrize(
    ("lemma", "precedents", "words", "nouns", "expected"),
    [
        ("make", [], [], [], "Building Causation Cooking Creating Deciding"),
        ("make", [chosen("Cooking", 2), chosen("Causation", 1)], [], [], "Cooking Causation"),
        # Equally frequent ones by the words of arguments
        ("make", [chosen("Causation", 1), chosen("Cooking", 1, "cook")], ["cook"], [], "Cooking"),
        ("make", [chosen("Causation", 2), chosen("Cooking", 1, "cook")], ["cook"], [], "Causation"),
        # The noun of a light verb, as an argument and as a word of the verb
        ("make", [], [], ["decision"], "Building Causation Cooking Deciding Creating"),
        ("make decision", [], [], [], "Deciding Building Causation"),
        ("make decision", [chosen("Causation", 5)], [], [], "Deciding Causation Building"),
        (
            "make decision",
            [chosen("Creating", 1, lemma="make_decision")],
            [],
            [],
            "Creating Deciding",
        ),
        ("stop", [chosen("Gone", 3, lemma="stop")], [], [], ""),
    ],
)
def test_order_of_suggested_frames(lemma, precedents, words, nouns, expected):
    ranked = rank_frames(lemma, units=UNITS, precedents=precedents, words=words, nouns=nouns)
    assert ranked[: len(expected.split())] == expected.split()
    assert bool(ranked) == bool(expected)


WORDS = ["She", "made", "a", "quick", "decision", "."]
TREE = {
    "lemmas": ["she", "make", "a", "quick", "decision", "."],
    "heads": [1, -1, 4, 4, 1, 1],
    "deprels": ["nsubj", "root", "det", "amod", "obj", "punct"],
}


def test_nouns_of_a_light_verb_are_its_objects_or_words_after_it():
    item = ItemContext(WORDS, {"verb": [1], "lemma": "make"}, metadata=TREE)
    assert nouns_of_light_verb(item) == ["decision"]
    assert nouns_of_light_verb(replace(item, metadata={})) == ["a", "quick", "decision", "."]
    heavy = replace(item, target={"verb": [1], "lemma": "write"})
    assert nouns_of_light_verb(heavy) == []


def of_verb(*roles: str, **changes: object) -> ItemContext:
    verbs = {"come": [{"class": "c-1", "roles": [*roles]}]} if roles else {}
    names = ["Agent", "Theme", "Goal", "Recipient", "Source", "Cause", "Destination", "Patient"]
    lexicon = {**LEXICON, "verbs": verbs, "roles": [{"name": n, "definition": ""} for n in names]}
    target = {"verb": [1], "lemma": "come_back"}
    return ItemContext(WORDS, target, metadata=TREE, resources={"lexicon": lexicon}, **changes)


@pytest.mark.parametrize(
    ("element", "hint", "roles", "chosen", "held", "expected"),
    [
        ("Goal", "", [], [], [], "Goal"),
        ("Goal", "", ["Theme", "Destination"], [], [], "Destination"),
        ("Goal", "", ["Theme", "Destination"], ["Recipient", "Boss"], [], "Recipient"),
        ("Goal", "", [], ["Boss"], [], "Goal"),  # no role of the project
        ("Oddity", "", [], [], [], ""),
        ("Oddity", "Source", [], [], [], "Source"),
        ("Oddity", "", ["Agent", "Theme"], [], [], "Agent"),
        ("Oddity", "", ["Agent", "Theme"], [], ["Agent"], "Theme"),
        ("Buyer", "", ["Theme"], [], [], "Agent"),
    ],
)
def test_most_likely_role(*, element, hint, roles, chosen, held, expected):
    likely = likely_roles(element, hint, of_verb(*roles), chosen=chosen, held=held)
    assert "".join(likely[:1]) == expected
    assert {*roles} <= {*likely}


def test_role_by_the_dependency_is_one_of_the_verb():
    assert role_hints(of_verb()) == {"0": "Agent", "4": "Theme"}
    assert role_hints(of_verb("Theme", "Patient")) == {"0": "Theme", "4": "Theme"}
    assert role_hints(of_verb("Agent", "Patient")) == {"0": "Agent", "4": "Patient"}


# --- the report ----------------------------------------------------------------------------------


def record(
    number: int, name: str, *arguments: tuple[str, str], lexicon: Json = MAKE
) -> AnnotatedItem:
    listed = [
        {"head": [at], "filler": WORDS[at], "element": element, "role": role}
        for at, (element, role) in enumerate(arguments)
    ]
    content = {
        **{"skip": "", "verb": [1], "lemma": "make", "frame": name, "confidence": None},
        "arguments": listed,
    }
    target = {"verb": [1], "lemma": "make"}
    return AnnotatedItem(
        external_id=f"s{number}",
        context=ItemContext(WORDS, target, resources={"lexicon": lexicon}),
        content=content,
    )


def test_report_leaves_each_record_out():
    names = ["Cooking"] * 3 + ["Deciding"]
    items = [record(at, name, ("Maker", "Agent")) for at, name in enumerate(names)]
    frames, roles = tables(items)
    assert [[*row] for row in frames.rows] == [
        ["Lexicon alone: all verbs", 4, 0.0, 100.0, 0.0],
        ["Lexicon alone: verbs with several frames", 4, 0.0, 100.0, 0.0],
        # The only record with Deciding has no precedent of its own.
        ["With other records: all verbs", 4, 75.0, 100.0, 0.0],
        ["With other records: verbs with several frames", 4, 75.0, 100.0, 0.0],
    ]
    assert [[*row] for row in roles.rows] == [
        ["Element and dependency", 4, 0.0, 0.0, 100.0],
        ["With VerbNet's classes", 4, 0.0, 0.0, 100.0],
        ["With other records", 4, 75.0, 0.0, 25.0],
    ]


def test_report_counts_wrong_roles_and_verbs_with_one_frame():
    items = [
        record(0, "Cooking", ("Cook", "Agent"), ("Food", "Theme")),
        record(1, "Cooking", ("Cook", "Agent"), ("Food", "Source")),
        record(2, "Cooking", ("Goal", "Goal"), ("", "Time"), ("Oven", "")),
    ]
    frames, roles = tables(items)
    assert [*frames.rows[1]] == ["Lexicon alone: verbs with several frames", 0, None, None, None]
    assert [*roles.rows[0]] == ["Element and dependency", 5, 20.0, 0.0, 80.0]
    assert [*roles.rows[2]] == ["With other records", 5, 60.0, 40.0, 0.0]


def test_report_leaves_out_units_that_were_accepted_from_the_records():
    accepted = {**MAKE, "from_annotations": [["make", "Creating"]]}
    shares = []
    for lexicon in (MAKE, accepted):
        frames, _ = tables([record(0, "Creating", lexicon=lexicon)])
        shares.append([*frames.rows[0]][3:])
    assert shares == [[100.0, 0.0], [0.0, 100.0]]


def test_report_without_frames_is_empty():
    assert tables([record(0, "")]) == []


# --- the page has the same order -----------------------------------------------------------------

RANKED = """([data, cases]) => cases.map(([lemma, head, nouns, words, precedents]) =>
    new lexicon.Index(data).suggest({lemma, head, nouns, words: new Set(words)}, precedents)
        .map(({entry}) => entry.name))"""


def random_records(rng: random.Random, lemmas: list[str]) -> list[Json]:
    return [
        {
            "frame": rng.choice([*FRAMES, "Gone"]),
            "lemma": rng.choice(lemmas),
            "arguments": [{"filler": rng.choice(WORDS), "element": "Cook", "role": "Agent"}],
        }
        for _ in range(rng.randrange(6))
    ]


@pytest.mark.browser
def test_page_suggests_frames_in_the_same_order(chromium):
    rng = random.Random(5)
    cases = []
    for _ in range(500):
        lemma = rng.choice(["make", "make decision", "build", "stop", "make up"])
        precedents = chosen_frames(random_records(rng, ["make", "make_decision", "make_up"]))
        nouns = rng.sample(["decision", "cake", "stone"], rng.randrange(3))
        words = [word.lower() for word in rng.sample(WORDS, 3)]
        cases.append([lemma, lemma.split()[0], nouns, words, precedents])
    with page_with_modules(chromium, "schemes/frames/lexicon.js") as page:
        found = page.evaluate(RANKED, [RESOURCE.index(MAKE), cases])
    for names, (lemma, _, nouns, words, precedents) in zip(found, cases, strict=True):
        expected = rank_frames(lemma, units=UNITS, precedents=precedents, words=words, nouns=nouns)
        assert names == expected, (lemma, nouns, words, precedents)


LIKELY = """([facts, cases]) => cases.map(([argument, verbRoles, chosenRoles]) =>
    roles.likelyRoles(argument, {...facts, verbRoles, chosenRoles}).likely)"""


@pytest.mark.browser
def test_page_orders_likely_roles_in_the_same_way(chromium):
    rng = random.Random(6)
    names = ["Agent", "Theme", "Goal", "Destination", "Boss", "Source", "Patient"]
    cases, expected = [], []
    for _ in range(500):
        of_class = rng.sample(names, rng.randrange(4))
        context = of_verb(*of_class)
        element = rng.choice(["", "Goal", "Item", "Oddity", "Buyer"])
        held = rng.sample(names, 2)
        records = [
            {"arguments": [{"element": element, "role": rng.choice(names)}]}
            for _ in range(rng.randrange(4))
        ]
        counts = {row["element"]: row["roles"] for row in element_roles(records)}
        head = [rng.randrange(len(WORDS))]
        hint = PAGES.item(of_verb())["roleHints"].get(str(head[0]), "")
        argument = {"head": head, "element": element, "frame": "Motion", "held": held}
        cases.append([argument, of_class, {"Motion": counts}])
        expected.append(
            likely_roles(element, hint, context, chosen=counts.get(element, ()), held=held)
        )
    context = of_verb()
    facts = {
        **{"tokens": WORDS, "target": context.target},
        **PAGES.item(context),
        "elementRoles": PAGES.shared([context])["elementRoles"],
    }
    with page_with_modules(chromium, "schemes/frames/roles.js") as page:
        assert page.evaluate(LIKELY, [facts, cases]) == expected


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        ("Building", ["Creating"], "Inherits from Creating"),
        ("Creating", ["Building"], "Is inherited by Building"),
        ("Building", ["Cooking"], "Inherits from Creating, which is inherited by Cooking"),
        ("Building", ["Cooking", "Creating"], "Inherits from Creating"),
        ("Deciding", ["Causation"], "See also Causation"),
        ("Deciding", ["Creating"], ""),  # only by way of “see also”
        ("Building", ["Building"], ""),
        ("Unknown", ["Building"], ""),
    ],
)
def test_relation_of_two_frames(chromium, name, others, expected):
    def related(own: str, *relations: tuple[str, str, bool]) -> Json:
        rows = [{"type": kind, "frame": to, "is_parent": up} for kind, to, up in relations]
        return {**FRAMES[own], "relations": rows}

    lexicon = {
        **MAKE,
        "frames": {
            "Building": related("Building", ("Inheritance", "Creating", True)),
            "Causation": related("Causation", ("See_also", "Deciding", False)),
            "Cooking": related("Cooking", ("Inheritance", "Creating", True)),
            "Creating": related("Creating", ("Using", "Causation", True)),
            "Deciding": related("Deciding", ("See_also", "Causation", True)),
        },
    }
    with page_with_modules(chromium, "schemes/frames/lexicon.js") as page:
        text = page.evaluate(
            "([data, name, others]) => new lexicon.Index(data).relations.describe(name, others)",
            [RESOURCE.index(lexicon), name, others],
        )
    assert text == expected
