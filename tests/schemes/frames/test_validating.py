"""Verification, with its parsing, disputes and gold."""

import copy

import pytest

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.frames import validating
from schemes.frames.validating import verification_remark
from tests.schemes.frames.page_lexicon import LEXICON

TOKENS = tuple("The fund sold three old bonds to a bank .".split())  # noqa: SIM905
CONTEXT = ItemContext(TOKENS, {"verb": [2], "lemma": "sell"})
RECORD = {
    "skip": "",
    "verb": [2],
    "lemma": "sell",
    "frame": "Commerce_sell",
    "arguments": [
        {"head": [1], "filler": "fund", "element": "Seller", "role": "Agent"},
        {"head": [5], "filler": "bond", "element": "Goods", "role": "Theme"},
    ],
    "confidence": 4,
}
YES = {"verdict": "verified", "reason": "", "proposal": ""}
MISSING = {"head": [8], "element": "Buyer", "role": "Recipient"}


def no(proposal="", reason="This is wrong."):
    return {"verdict": "disputed", "reason": reason, "proposal": proposal}


def verification(**changes):
    """Return content that verifies everything, with changes by path such as `a1_role`."""
    content = {
        "skip": None,
        "verb": YES,
        "frame": YES,
        "arguments": [{"head": YES, "element": YES, "role": YES} for _ in range(2)],
        "missing": [],
    }
    content = copy.deepcopy(content)
    for path, value in changes.items():
        if path[:2] in ("a0", "a1"):
            at, _, part = path[1:].partition("_")
            content["arguments"][int(at)][part] = value
        else:
            content[path] = value
    return content


def parse(**changes):
    return validating.parse(verification(**changes), CONTEXT, [RECORD])


def test_verifiers_do_not_see_the_confidence():
    assert validating.asked([RECORD]) == {**RECORD, "confidence": None}


def test_parsed_content_is_unchanged():
    parsed = parse(frame=no("Giving"), missing=[MISSING])
    assert validating.parse(parsed, CONTEXT, [RECORD]) == parsed
    assert parsed["record"]["frame"] == "Giving"
    assert [argument["filler"] for argument in parsed["record"]["arguments"]] == [
        "fund",
        "bond",
        "bank",
    ]
    assert "Disputed: frame (This is wrong.); 1 missing arguments" in verification_remark(parsed)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"frame": no(reason="  ")}, "frame.reason"),
        ({"frame": None}, "frame"),
        ({"frame": no([2])}, "frame.proposal"),
        ({"verb": None}, "verb"),
        ({"verb": no(reason="")}, "verb.reason"),
        ({"verb": no([99])}, "verb.proposal"),
        ({"verb": no([3])}, "verb.proposal"),
        ({"verb": no("sell off")}, "verb.proposal"),
        ({"a0_role": None}, "arguments[0].role"),
        ({"a0_head": no([99])}, "arguments[0].head.proposal"),
        ({"a0_element": no([1])}, "arguments[0].element.proposal"),
        ({"arguments": []}, "arguments"),
        ({"missing": [{**MISSING, "head": [1]}]}, "missing[0].head"),
        ({"missing": [{**MISSING, "head": [99]}]}, "missing[0].head"),
        ({"missing": [{**MISSING, "element": "", "role": ""}]}, "missing[0]"),
        ({"frame": no("x" * 201)}, "frame.proposal"),
        ({"frame": no(reason="x" * 100_000)}, "frame.reason"),
    ],
)
def test_invalid_verifications_are_refused_with_a_path(changes, path):
    with pytest.raises(ContentError) as excinfo:
        parse(**changes)
    assert excinfo.value.path.startswith(path)


def test_enough_verifications_leave_no_disputes():
    agreeing = [parse(), parse(), parse(frame=no())]
    assert validating.disputes([RECORD], agreeing, 2) == {}
    gold, provenance = validating.gold_of([RECORD], agreeing, 2)
    assert gold == RECORD
    assert [origin["state"] for origin in provenance] == ["kept", "kept"]


def test_disputes_are_reported_by_part():
    verifications = [parse(), parse(frame=no("Giving"), a1_role=no("Patient"), missing=[MISSING])]
    disputes = validating.disputes([RECORD], verifications, 2)
    assert disputes["frame"] == [{"reason": "This is wrong.", "proposal": "Giving"}]
    assert disputes["arguments"] == [
        {"argument": 1, "part": "role", "reason": "This is wrong.", "proposal": "Patient"}
    ]
    assert [argument["head"] for argument in disputes["missing"]] == [[8]]


def test_disputed_head_needs_no_further_judgments():
    verifications = [parse(), parse(a0_head=no([1, 2]), a0_element=None, a0_role=None)]
    disputes = validating.disputes([RECORD], verifications, 2)
    assert [argument["part"] for argument in disputes["arguments"]] == ["head"]
    gold, _ = validating.gold_of([RECORD], verifications, 2)
    assert [argument["head"] for argument in gold["arguments"]] == [[5]]


def test_gold_without_a_supported_frame_has_only_roles():
    verifications = [parse(), parse(frame=no())]
    gold, provenance = validating.gold_of([RECORD], verifications, 2)
    assert gold["frame"] == ""
    assert [(argument["element"], argument["role"]) for argument in gold["arguments"]] == [
        ("", "Agent"),
        ("", "Theme"),
    ]
    assert [origin["state"] for origin in provenance] == ["edited", "edited"]


def test_disputed_verb_is_reported_with_its_proposal():
    disputing = parse(verb=no([2, 3]))
    assert disputing["record"]["verb"] == [2, 3]
    assert disputing["record"]["lemma"] == "sell_three"
    assert "Disputed: words of the verb (This is wrong.)" in verification_remark(disputing)
    disputes = validating.disputes([RECORD], [parse(), disputing], 2)
    assert disputes == {
        "skip": [],
        "verb": [{"reason": "This is wrong.", "proposal": [2, 3]}],
        "frame": [],
        "arguments": [],
        "missing": [],
    }


def test_gold_without_a_supported_verb_has_no_labels():
    verifications = [parse(), parse(verb=no())]
    gold, provenance = validating.gold_of([RECORD], verifications, 2)
    assert (gold["verb"], gold["frame"], gold["arguments"], provenance) == ([2], "", [], [])


def test_older_verifications_without_a_verb_are_still_described():
    older = {name: value for name, value in parse().items() if name not in ("skip", "verb")}
    assert validating.verdicts(older) == (7, 7)
    assert validating.same_verdicts(older, parse()) == (7, 7)
    assert verification_remark(older) == "Commerce_sell. All verified."


SKIPPED = {**RECORD, "skip": "no-frame", "frame": "", "arguments": [], "confidence": None}


def parse_skip(skip, **changes):
    content = {"skip": skip, "verb": None, "frame": None, "arguments": [], "missing": []}
    return validating.parse({**content, **changes}, CONTEXT, [SKIPPED])


def test_skip_needs_the_support_of_verifiers():
    assert not validating.is_empty([SKIPPED])
    agreeing = [parse_skip(YES), parse_skip(YES)]
    assert validating.disputes([SKIPPED], agreeing, 2) == {}
    assert validating.gold_of([SKIPPED], agreeing, 2) == (SKIPPED, [])
    assert verification_remark(agreeing[0]) == "Skipped: No frame fits. All verified."
    assert validating.verdicts(agreeing[0]) == (1, 1)


def test_disputed_skip_is_reported_and_leaves_no_gold():
    verifications = [parse_skip(YES), parse_skip(no(reason="It is Commerce_sell."))]
    assert verifications[1]["record"]["skip"] == ""
    disputes = validating.disputes([SKIPPED], verifications, 2)
    assert disputes["skip"] == [{"reason": "It is Commerce_sell.", "proposal": ""}]
    assert [part for part, values in disputes.items() if values] == ["skip"]
    gold, provenance = validating.gold_of([SKIPPED], verifications, 2)
    assert (gold["skip"], gold["frame"], gold["arguments"], provenance) == ("", "", [], [])
    assert validating.same_verdicts(*verifications) == (0, 1)


@pytest.mark.parametrize(
    ("skip", "changes", "path"),
    [
        (None, {}, "skip"),
        (no(reason=""), {}, "skip.reason"),
        (no("Giving"), {}, "skip.proposal"),
        (YES, {"missing": [MISSING]}, "missing"),
        (YES, {"arguments": [{"head": YES, "element": YES, "role": YES}]}, "arguments"),
    ],
)
def test_invalid_judgments_of_a_skip_are_refused(skip, changes, path):
    with pytest.raises(ContentError) as excinfo:
        parse_skip(skip, **changes)
    assert excinfo.value.path.startswith(path)


KNOWN = ItemContext(TOKENS, CONTEXT.target, resources={"lexicon": LEXICON})


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"frame": no("Nonsense_frame")}, "frame.proposal: 'Nonsense_frame' is no frame"),
        ({"a0_element": no("Nonsense")}, "arguments[0].element.proposal: 'Nonsense' is no element"),
        ({"a1_role": no("Nonsense")}, "arguments[1].role.proposal: 'Nonsense' is no role"),
        (
            {"missing": [{**MISSING, "element": "Theme"}]},
            "missing[0].element: 'Theme' is no element",
        ),
        ({"missing": [{**MISSING, "role": "Nonsense"}]}, "missing[0].role: 'Nonsense' is no role"),
    ],
)
def test_only_names_of_the_lexicon_are_proposed(changes, problem):
    with pytest.raises(ContentError) as excinfo:
        validating.parse(verification(**changes), KNOWN, [RECORD])
    assert str(excinfo.value).startswith(problem)


def test_elements_of_the_proposed_frame_are_accepted():
    changes = {"frame": no("Arriving"), "a0_element": no("Theme"), "missing": [MISSING]}
    parsed = validating.parse(verification(**changes), KNOWN, [RECORD])
    assert parsed["record"]["frame"] == "Arriving"


def test_verdicts_are_compared_if_both_judged():
    first, second = parse(), parse(a0_head=no(), a0_element=None, a0_role=None)
    assert validating.verdicts(first) == (8, 8)
    assert validating.verdicts(second) == (5, 6)
    assert validating.same_verdicts(first, second) == (5, 6)
