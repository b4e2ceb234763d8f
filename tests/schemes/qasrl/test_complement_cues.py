import pytest

from schemes.qasrl.complement_cues import complement_cues, complement_of
from schemes.qasrl.particle_cues import particle_cues


@pytest.mark.parametrize(
    ("sentence", "verb", "expected"),
    [
        ("They want to leave .", "want", "to"),
        ("They want not to leave .", "want", "to"),
        ("They went to London .", "went", "none"),
        ("They went to the sea .", "went", "none"),
        ("They asked the old man to leave .", "asked", "object to"),
        ("They asked , and to leave was hard .", "asked", "none"),
        ("They stopped talking .", "stopped", "ing"),
        ("They met during May .", "met", "none"),
        ("They saw him leaving .", "saw", "object ing"),
        ("They insisted on leaving .", "insisted", "preposition ing"),
        ("They accused him of leaving .", "accused", "object preposition ing"),
        ("They want", "want", "none"),
        ("They want to", "want", "none"),
    ],
)
def test_complement_is_the_verb_phrase_after_the_verb(sentence, verb, expected):
    tokens = sentence.split()
    assert complement_of(tokens, tokens.index(verb), takes_bare=False) == expected


@pytest.mark.parametrize(
    ("sentence", "takes_bare", "expected"),
    [
        ("They let him leave .", True, "object bare"),
        ("They let him leave .", False, "none"),
        ("They let go .", True, "bare"),
        ("They let him", True, "none"),
    ],
)
def test_bare_infinitives_require_a_verb_that_accepts_them(sentence, takes_bare, expected):
    assert complement_of(sentence.split(), 1, takes_bare=takes_bare) == expected


def test_cues_combine_the_lists_of_the_verb_with_the_complement():
    cues = list(complement_cues(["They", "want", "to", "leave", "."], 1, "want", is_passive=False))
    assert "infinitive verb with to" in cues
    assert "object infinitive verb with to active" in cues
    unlisted = complement_cues(["They", "run", "to", "win", "."], 1, "run", is_passive=False)
    assert "other verb with to" in list(unlisted)
    none = complement_cues(["They", "want", "it", "."], 1, "want", is_passive=False)
    assert list(none) == ["complement none", "complement none active"]


@pytest.mark.parametrize(
    ("sentence", "stem", "expected"),
    [
        (
            "He gave up smoking .",
            "give",
            ["next", "next listed", "listed before words", "up listed"],
        ),
        (
            "He gave it up .",
            "give",
            ["after object", "after object listed", "listed before end", "up listed"],
        ),
        (
            "He jumped up from it .",
            "jump",
            ["next", "next other", "other before preposition", "up other"],
        ),
        ("He looked at it up .", "look", []),
        ("He looked .", "look", []),
    ],
)
def test_particles_follow_the_verb_or_a_short_object(sentence, stem, expected):
    cues = [cue.removeprefix("particle ") for cue in particle_cues(sentence.split(), 1, stem)]
    assert cues == expected
