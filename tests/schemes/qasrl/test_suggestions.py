import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemes.contract.items import Suggestions
from schemes.contract.values import Tokens
from schemes.english.verbs import verb_forms, verb_forms_at
from schemes.qasrl.grammar import item_table
from schemes.qasrl.grammar_ranking import grammar_costs
from schemes.qasrl.published_csv import read_gold_rows, read_sentence_rows
from schemes.qasrl.ranking import ranking_table
from schemes.qasrl.suggestions import suggestion_table
from schemes.qasrl.verb_context import cue_of
from scripts.suggester import Suggester

from .checking_walker import CheckingWalker
from .generated_texts import random_question
from .published_data import GOLD, SENTENCES, needs_published_data
from .test_published_csv import raised


def suggester(sentence: str, verb: str) -> Suggester:
    tokens = sentence.split()
    at = tokens.index(verb)
    forms = verb_forms_at(tokens, at)
    return Suggester(CheckingWalker(item_table(forms, tokens)), ranking_table(tokens, at, forms))


def by_grammar(sentence: str, verb: str) -> Suggester:
    tokens = sentence.split()
    at = tokens.index(verb)
    forms = verb_forms_at(tokens, at)
    table = suggestion_table(Suggestions.GRAMMAR, tokens, at, forms)
    return Suggester(CheckingWalker(item_table(forms, tokens)), table, costs=grammar_costs())


def first(sentence: str, verb: str, text: str = "", asked: tuple[str, ...] = ()) -> list[str]:
    return [
        suggestion.question for suggestion in suggester(sentence, verb).suggest(text, list(asked))
    ]


@pytest.mark.parametrize(
    ("sentence", "verb", "expected"),
    [
        ("Perry cut the ribbon .", "cut", ("past", "", False)),
        ("The ribbon was quickly cut by Perry .", "cut", ("past", "passive", False)),
        ("They are being watched .", "watched", ("present", "progressive passive", False)),
        ("She has not eaten it .", "eaten", ("present", "perfect", True)),
        ("He might have been seen there .", "seen", ("might", "perfect passive", False)),
        ("It could rain .", "rain", ("might", "", False)),
        ("He must never leave .", "leave", ("should", "", True)),
        ("They want to leave .", "leave", ("to", "", False)),
        ("He was running home .", "running", ("past", "progressive", False)),
        ("She has been running .", "running", ("present", "perfect progressive", False)),
        ("A man named Smith came .", "named", ("past", "", False)),
        ("A song written by him .", "written", ("", "passive", False)),
        ("He wo n't go .", "go", ("will", "", True)),
        ("He cannot attend .", "attend", ("can", "", True)),
        ("Apple is likely to be fined .", "fined", ("might", "passive", False)),
        ("They are unlikely to win .", "win", ("might", "", True)),
        ("They are not likely to win .", "win", ("might", "", True)),
        ("She is not unable to win .", "win", ("can", "", False)),
        ("He failed to appear .", "appear", ("past", "", True)),
        ("He did n't fail to appear .", "appear", ("to", "", False)),
        ("It was too dark to see .", "see", ("to", "", True)),
        ("They denied that officers fired shots .", "fired", ("past", "", True)),
        ("No casualties were reported .", "reported", ("past", "passive", True)),
        ("There is no doubt he won .", "won", ("past", "", False)),
        ("She will sing and dance .", "dance", ("will", "", False)),
    ],
)
def test_cue_reads_tense_aspect_and_voice(sentence, verb, expected):
    tokens = sentence.split()
    verb_context = cue_of(tokens, tokens.index(verb), verb_forms(verb))
    flags = (("perfect", verb_context.is_perfect), ("progressive", verb_context.is_progressive))
    shape = " ".join(
        name for name, holds in (*flags, ("passive", verb_context.is_passive)) if holds
    )
    assert (verb_context.tense, shape, verb_context.is_negated) == expected


def test_first_suggestions_keep_the_tense_and_voice_of_the_sentence():
    active = first("Perry carried the box .", "carried")
    assert set(active[:2]) == {"Who carried something?", "What did someone carry?"}
    passive = first("The box was carried home by Perry .", "carried")
    assert "What was carried?" in passive[:3]
    assert "What is being watched?" in first("They are being watched .", "watched")[:3]


def test_infinitive_comes_first():
    questions = first("Perry wanted to leave .", "wanted")
    assert questions[0] == "Who wanted to do something?"
    assert "What did someone want to do?" in questions[:3]
    asked = ("Who wanted to do something?",)
    assert (
        first("Perry wanted to leave .", "wanted", "", asked)[0] == "What did someone want to do?"
    )


@pytest.mark.parametrize(
    ("sentence", "verb", "expected"),
    [
        ("The board voted to dismiss him in May .", "voted", "What did someone vote to do?"),
        ("Ann yearned to return home .", "yearned", "What did someone yearn to do?"),
        ("He was ordered to pay .", "ordered", "What was someone ordered to do?"),
        ("They carried out the plan .", "carried", "What did someone carry out?"),
    ],
)
def test_verb_phrases_and_particles_are_among_the_first_three(sentence, verb, expected):
    assert expected in first(sentence, verb)[:3]


@pytest.mark.parametrize(
    ("sentence", "verb", "expected"),
    [
        ("Ann looked at the map .", "looked", "Who looked at something?"),
        ("They looked carefully at the sea .", "looked", "Who looked at something?"),
        ("He relied on his brother .", "relied", "Who relied on something?"),
        ("They waited for the bus .", "waited", "Who waited for something?"),
    ],
)
def test_preposition_of_the_verb_comes_first(sentence, verb, expected):
    questions = first(sentence, verb)
    bare = expected.rsplit(" ", 2)[0] + " something?"
    assert questions[0] == expected
    assert bare not in questions


def test_preposition_of_another_verb_does_not_replace_its_object():
    assert "What did someone carry?" in first("Perry carried the box at noon .", "carried")[:2]
    assert "What did someone look up?" in first("Ann looked up the word .", "looked")[:2]


def test_role_asked_with_a_verb_phrase_ranks_lower_without_it():
    questions = first("Perry wanted to leave .", "wanted")
    agents = [question for question in questions if question.startswith("Who wanted")]
    assert agents[0] == "Who wanted to do something?"
    assert questions.index("What did someone want?") < questions.index("Who wanted something?")


@pytest.mark.parametrize(
    ("sentence", "verb", "odd"),
    [
        ("The train arrives at noon .", "arrives", "Who arrives at?"),
        ("Snow covered by dust melts .", "covered", "Who covered by?"),
        ("Ann looked at the map .", "looked", "When did someone look at?"),
        ("The hill was covered by snow .", "covered", "What was covered by?"),
    ],
)
@pytest.mark.parametrize("typed", [False, True])
def test_no_question_ends_with_a_preposition_without_its_object(sentence, verb, odd, typed):
    text = odd.removesuffix("?").rsplit(" ", 1)[0] if typed else ""
    assert odd not in first(sentence, verb, text)


def test_object_of_a_preposition_is_suggested():
    assert "What did someone look at?" in first(
        "Ann looked at the map .", "looked", "What did someone look"
    )
    assert "Who passed out?" in first("Ann passed out .", "passed", "Who passed")


def test_particle_stays_with_its_verb():
    questions = first("He gave up smoking in May .", "gave", "", ("Who gave up something?",))
    assert all(" give up" in question for question in questions[:3])


def test_negation_and_modal_of_the_sentence_are_suggested_first():
    eaten = first("He has not eaten it .", "eaten")
    assert all("n't" in question or " not " in question for question in eaten[:3])
    assert "Who hasn't eaten something?" in eaten[:3]
    assert "might" in first("It might rain today .", "rain")[0]


@pytest.mark.parametrize("source", [suggester, by_grammar])
@pytest.mark.parametrize(
    ("sentence", "verb", "odd"),
    [
        ("The bridge fell .", "fell", ("something?", "someone?", "was fallen?")),
        ("They remained silent .", "remained", ("remained something?", "was remained?")),
        ("It rained in May .", "rained", ("Who rained", "rained something?", "someone")),
        ("The strike lasted two weeks .", "lasted", ("Who lasted", "lasted something?")),
        ("The book lay on the table .", "lay", ("lay something?", "lay someone?")),
        ("Perry cut the ribbon with scissors .", "cut", ("someone do?", "do something?")),
    ],
)
def test_frames_that_a_verb_cannot_have_are_not_suggested(source, sentence, verb, odd):
    questions = [row.question for row in source(sentence, verb).suggest("", [], limit=5)]
    assert questions
    assert not [question for question in questions for part in odd if part in question]


def test_verb_phrase_without_to_follows_the_verbs_that_take_it():
    questions = [row.question for row in by_grammar("She made them cry .", "made").suggest("", [])]
    assert "What did someone make someone do?" in questions[:3]


@pytest.mark.parametrize("source", [suggester, by_grammar])
@pytest.mark.parametrize(
    ("sentence", "verb", "words"),
    [
        ("He cannot attend .", "attend", ("can't", "can not")),
        ("Apple is likely to be fined .", "fined", ("might",)),
        ("They are unlikely to win .", "win", ("might not", "might someone not")),
        ("He failed to appear in court .", "appear", ("didn't", "did not")),
        ("They denied that officers fired shots .", "fired", ("n't", " not ")),
        ("The suspect should be arrested .", "arrested", ("should",)),
    ],
)
def test_first_three_have_the_modality_and_negation_of_the_sentence(source, sentence, verb, words):
    questions = [row.question for row in source(sentence, verb).suggest("", [], limit=3)]
    assert [question for question in questions if any(word in question for word in words)]
    assert any(word in questions[0] for word in words)


def test_infinitive_is_suggested_as_a_fact_and_as_a_possibility():
    questions = [
        row.question for row in by_grammar("Perry hoped to win it .", "win").suggest("", [])
    ]
    assert {"Who won something?", "Who might win something?"} <= set(questions[:3])


def test_grammar_ranks_by_the_sentence_alone():
    questions = [
        row.question for row in by_grammar("The box was not carried .", "carried").suggest("", [])
    ]
    assert questions[0] == "What wasn't carried?"
    assert suggestion_table(Suggestions.OFF, ["He", "ran"], 1, verb_forms("ran")) is None


def test_asked_roles_are_not_suggested_again():
    asked = ("Who carried something?", "When did someone carry something?")
    questions = first("Perry carried the box .", "carried", asked=asked)
    assert questions[0] == "What did someone carry?"
    assert not set(questions) & set(asked)
    assert not any(question.startswith("When") for question in questions)


def test_fillers_of_asked_questions_are_kept():
    asked = ("What carried someone?",)
    questions = first("The bus carried the children .", "carried", "when ", asked)
    assert questions[0].startswith("When did something carry")


def test_prepositions_after_the_verb_are_suggested():
    questions = first("They looked at the sea .", "looked", "what did someone look ")
    assert questions[0] == "What did someone look at?"


def test_unlikely_beginnings_are_completed():
    questions = first("Perry carried the box .", "carried", "how long wouldn't something have be")
    assert questions
    assert all(
        question.startswith("How long wouldn't something have been") for question in questions
    )


@pytest.mark.parametrize("text", ["Who carried?", "xyz", "who xyz", "who carried xyz "])
def test_text_without_completions_has_no_suggestions(text):
    assert first("Perry carried the box .", "carried", text) == []


def page_suggestions(tokens: Tokens, at: int) -> Iterator[tuple[CheckingWalker, str]]:
    """Yield the page's suggestions before typing, after a question word and after the verb."""
    forms = verb_forms_at(tokens, at)
    walker = CheckingWalker(item_table(forms, tokens))
    source = Suggester(walker, ranking_table(tokens, at, forms))
    beginnings = ["", "who ", "what ", "when ", "where ", "how "]
    beginnings += [
        f"who {forms.past} ",
        f"who {forms.past} to ",
        f"what did someone {forms.stem} to ",
    ]
    for text in beginnings:
        for suggestion in source.suggest(text, []):
            yield walker, suggestion.question
    asked = [suggestion.question for suggestion in source.suggest("", [], limit=2)]
    for suggestion in source.suggest("", asked):
        yield walker, suggestion.question


@pytest.mark.slow
@needs_published_data
@pytest.mark.parametrize("every", [25, pytest.param(1, marks=pytest.mark.long)])
def test_page_suggestions_are_well_formed(every):
    tokens = {row.external_id: row.tokens for row in read_sentence_rows(SENTENCES, on_error=raised)}
    predicates = {(row.qasrl_id, row.verb_idx) for row in read_gold_rows(GOLD, on_error=raised)}
    assert len(predicates) == 1264
    for sentence, at in sorted(predicates)[::every]:
        for walker, question in page_suggestions(tokens[sentence], at):
            assert walker.check(question).state == "complete", question
            assert not question.endswith(("do someone?", "doing someone?"))
            assert question.startswith("What ") or not question.endswith((" do?", " doing?"))


@needs_published_data
@pytest.mark.parametrize("every", [100, pytest.param(10, marks=pytest.mark.long)])
def test_every_completion_leads_to_a_well_formed_question(every):
    tokens = {row.external_id: row.tokens for row in read_sentence_rows(SENTENCES, on_error=raised)}
    predicates = {(row.qasrl_id, row.verb_idx) for row in read_gold_rows(GOLD, on_error=raised)}
    for sentence, at in sorted(predicates)[::every]:
        walker = CheckingWalker(item_table(verb_forms_at(tokens[sentence], at), tokens[sentence]))
        assert all(can_become_a_question(walker, text) for text in ("", "who ", "what did "))


def can_become_a_question(walker: CheckingWalker, text: str) -> bool:
    """Return True if the shortest continuation of each completion ends in a question."""
    for option in walker.complete(text):
        ahead = option.text
        for _ in range(8):
            check = walker.check(f"{ahead}?")
            if check.state == "complete":
                break
            ahead = f"{ahead} {check.nearest[0]}"
        if walker.check(f"{ahead}?").state != "complete":
            return False
    return True


SENTENCE = "The box was given to them by Perry in May ."
SUGGESTER = suggester(SENTENCE, "given")
WALKER = CheckingWalker(item_table(verb_forms("given"), SENTENCE.split()))


@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(1, 8))
@settings(max_examples=25, deadline=None)
def test_suggestions_are_legal_new_and_extend_the_text(seed, count, limit):
    rng = random.Random(seed)
    asked = [random_question(WALKER, rng, stop=0.6) for _ in range(count)]
    text = random_question(WALKER, rng, stop=0.6)
    prefix = text[: rng.randint(0, len(text))]
    suggestions = SUGGESTER.suggest(prefix, asked, limit=limit)
    questions = [suggestion.question for suggestion in suggestions]
    assert len(questions) <= limit
    assert len(set(questions)) == len(questions)
    assert [suggestion.cost for suggestion in suggestions] == sorted(
        suggestion.cost for suggestion in suggestions
    )
    for question in questions:
        assert question.lower().startswith(prefix.rstrip())
        assert WALKER.check(question).state == "complete"
        assert question.lower().removesuffix("?") not in asked
