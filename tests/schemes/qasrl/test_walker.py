import json
import random
import zlib
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.items import ItemContext
from schemes.contract.records import ItemRecord
from schemes.english.forms import VerbForms
from schemes.english.verbs import candidate_forms, verb_forms
from schemes.qasrl.grammar import CLASSES, automaton, item_table
from schemes.qasrl.items import complete_item
from schemes.qasrl.pages import PAGES
from schemes.qasrl.reading import VerbPhrase, question_of, verb_phrase_of
from schemes.qasrl.walker import parse_question, split

from .checking_walker import Check, CheckingWalker, Option, distance
from .generated_texts import ITEMS, random_question

CARRY = VerbForms("carry", "carries", "carrying", "carried", "carried")
GIVE = VerbForms("give", "gives", "giving", "gave", "given")
DO = VerbForms("do", "does", "doing", "did", "done")
SENTENCE = "He was given up on to them out of pity and out to it"
WALKER = CheckingWalker(item_table(GIVE, SENTENCE.split()))
ALL_WALKERS = [CheckingWalker(item_table(forms, sentence.split())) for forms, sentence in ITEMS]


def state(text: str, walker: CheckingWalker = WALKER) -> str:
    return walker.check(text).state


@pytest.mark.parametrize(
    "text",
    [
        "Who gave?",
        "Who gave something?",
        "Who gave someone something?",
        "Who gave something to someone?",
        "Who gives something somewhere?",
        "What is being given?",
        "What has been given to someone?",
        "What might have been given?",
        "Who might not have been giving something?",
        "Who did not give something?",
        "Who didn't give something?",
        "What did someone not give?",
        "What did someone give someone?",
        "Who did someone give something to?",
        "What did it give?",
        "When was something given?",
        "How much did someone give?",
        "How long will someone be giving something?",
        "Where did someone give something somewhere?",
        "Where was something given to?",
        "What was someone given to do?",
        "What did someone give someone to do?",
        "Who was given something to do something?",
        "Who gave to?",
        "When did someone give to?",
        "How long was it given to?",
        "Who gave something to doing something?",
        "Who gave out to do something?",
        "What did someone give out to do?",
        "What did someone give out to?",
        "Where did someone give out to?",
        "What was someone given for doing?",
        "Who was given something for doing something?",
        "Who gave someone doing something?",
        "What did someone give do?",
        "Who gave out of something?",
        "Who was given up on?",
        "What was given up?",
    ],
)
def test_template_accepts_valid_questions(text):
    assert state(text) == "complete"
    assert WALKER.read(text) is not None
    assert state(text.lower().removesuffix("?")) == "complete"


@pytest.mark.parametrize(
    "text",
    [
        "Who?",
        "When gave something?",  # an adverbial requires a subject
        "When did give something?",
        "When is something?",
        "Who did someone give something to someone?",  # no slot is asked for
        "What did someone give someone something?",
        "Who gave out to?",  # an object must follow a pair with "to" unless it is asked for
        "When did someone give out to?",
        "Who gave out to doing something?",
        "Who gave to do?",  # two gaps
        "Who was given something to do?",
        "When did someone give to do?",
        "Who gave for doing?",
        "Who gave to do someone?",  # a verb phrase requires "something"
        "What did someone give to do someone?",
        "How was something given by doing someone?",
        "Who gave someone doing someone?",
        "Who gave something do?",
        "Who gave not something?",
        "Who not gave something?",
        "Who didn't not give something?",
        "Who might did give?",
        "Who is gave something?",
        "Who has give something?",
        "Who did gave something?",
        "Who would giving something?",
        "Who gave someone under something?",  # neither offered nor in the sentence
        "Who gave someone of out something?",
        "Who gave up on to something?",  # three prepositions are not a pair
        "Who gave somewhere something?",
        "Who gave something someone something?",
        "Which did someone give?",
        "Who mightn't give something?",
    ],
)
def test_template_refuses_invalid_questions(text):
    assert state(text) == "wrong"
    assert WALKER.read(text) is None


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("What was referred to?", "referred"),
        ("Who was listened to?", "listened"),
        ("How was someone listened to?", "listened"),
        ("What was agreed to?", "agreed"),
        ("What did someone object to doing?", "object"),
        ("Who objected to doing something?", "objected"),
        ("What used to doing something?", "used"),
        ("What relates to doing something?", "relates"),
        ("What did someone want to do?", "wanted"),
        ("Who wanted to do something?", "wanted"),
    ],
)
def test_bare_to_accepts_nothing_or_a_verb_phrase(text, verb):
    walker = CheckingWalker(item_table(verb_forms(verb), SENTENCE.split()))
    assert state(text, walker) == "complete"


@pytest.mark.parametrize(
    "text", ["Who wanted to do?", "Who wanted to do someone?", "Who wanted by doing someone?"]
)
def test_verb_phrase_without_something_is_refused_and_never_offered(text):
    walker = CheckingWalker(item_table(verb_forms("wanted"), SENTENCE.split()))
    assert state(text, walker) == "wrong"
    for end in range(len(text)):
        options = {option.text for option in walker.complete(text[:end]) if option.ends}
        assert text.removesuffix("?") not in options


@pytest.mark.parametrize(
    ("token", "text", "inflection"),
    [
        ("light", "What was lit?", "Past"),
        ("light", "What was lighted?", "Past"),
        ("hang", "Who was hanged?", "Past"),
        ("burns", "What was burnt?", "Past"),
        ("learn", "What had someone learnt?", "Past"),
        ("proves", "What has been proved?", "Past"),
        ("proves", "What has been proven?", "PastParticiple"),
        ("lay", "Where did something lie?", "Stem"),
        ("lay", "Where did someone lay something?", "Stem"),
    ],
)
def test_page_and_server_accept_every_spelling(token, text, inflection):
    context = ItemContext((token,))
    record = complete_item(ItemRecord("s", "0", {"verb_idx": 0}), context)
    context = replace(context, target=record.target)
    reading = CheckingWalker(PAGES.item(context)["item"]).read(text)
    assert reading is not None
    assert reading.slots.verb_slot_inflection == inflection
    assert parse_question(text, *candidate_forms(token)) == reading.slots


VERB_BY_AUXILIARY = {
    "is was isn't wasn't": ["giving", "being given", "given"],
    "does did doesn't didn't": ["give"],
    "has had hasn't hadn't": ["given", "been giving", "been given"],
    "can will might would should can't won't wouldn't shouldn't": [
        "give",
        "be giving",
        "be given",
        "have given",
        "have been giving",
        "have been given",
    ],
}
ALL_VERBS = {verb for verbs in VERB_BY_AUXILIARY.values() for verb in verbs} | {"gives", "gave"}


@pytest.mark.parametrize("auxiliaries", VERB_BY_AUXILIARY)
def test_auxiliary_accepts_only_its_verb_forms(auxiliaries):
    for aux, verb in product(auxiliaries.split(), ALL_VERBS):
        expected = "complete" if verb in VERB_BY_AUXILIARY[auxiliaries] else "wrong"
        assert state(f"When {aux} someone {verb}?") == expected, (aux, verb)
        assert state(f"Who {aux} {verb} something?") == expected, (aux, verb)
        negated = "wrong" if aux.endswith("n't") else expected
        assert state(f"When {aux} someone not {verb}?") == negated, (aux, verb)


def test_all_auxiliaries_of_the_table_are_tested():
    tried = set(" ".join(VERB_BY_AUXILIARY).split())
    groups = ("be", "do", "have", "modal")
    assert tried == {w for group in groups for w in CLASSES[group] + CLASSES[f"{group} not"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who gave someone", Check("complete", 16, 16, ())),
        ("", Check("unfinished", 0, 0, ())),
        ("?", Check("wrong", 0, 1, ("who", "what", "when", "why", "how"))),
        ("Who did som", Check("unfinished", 11, 11, ())),
        ("Who did som ", Check("wrong", 8, 11, ("someone", "something", "not", "it", "give"))),
        ("Who  gaev something", Check("wrong", 5, 9, ("gave", "was", "does", "has", "had"))),
        ("Who gave out to?", Check("wrong", 15, 16, ("someone", "something", "do"))),
        ("Who gave to do?", Check("wrong", 14, 15, ("something",))),
    ],
)
def test_check_marks_the_first_error(text, expected):
    assert WALKER.check(text) == expected


def test_check_suggests_the_end_if_the_text_may_end():
    assert WALKER.check("Who gave something something else").nearest[-1] == "?"


def test_check_counts_characters_of_the_text_as_typed():
    result = WALKER.check("Who \u0130\u0130 x")
    assert (result.start, result.end) == (4, 6)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("how mu", [Option("How much", ends=False, goes_on=True)]),
        ("how m", ["How much", "How might"]),
        ("Who gave som", ["Who gave someone", "Who gave something", "Who gave somewhere"]),
        ("what was be", [Option("What was being given", ends=True, goes_on=True)]),
        ("who gave somewhere", [Option("Who gave somewhere", ends=True, goes_on=False)]),
        ("who gave out o", ["Who gave out of", "Who gave out on"]),
        ("who gave something somewhere ", []),
        ("who gave?", []),
        ("who runs aw", []),
    ],
)
def test_complete_continues_to_the_next_choice(text, options):
    completions = WALKER.complete(text)
    if options and isinstance(options[0], str):
        assert [option.text for option in completions] == options
    else:
        assert completions == options


def test_complete_offers_every_question_word_first():
    words = [option.text for option in WALKER.complete("")]
    assert words == ["Who", "What", "When", "Why", "How", "Where"]


def test_prepositions_are_the_common_seven_and_those_of_the_sentence():
    options = {option.text.split()[2] for option in WALKER.complete("who gave ")}
    seven = {"by", "for", "with", "in", "from", "to", "as"}
    nouns = {"someone", "something", "somewhere", "do", "doing"}
    assert options == seven | {"up", "on", "out", "of"} | nouns
    after_up = {option.text for option in WALKER.complete("what did someone give up ")}
    # A particle of the sentence combines with any preposition, and other pairs must be adjacent.
    assert after_up >= {"What did someone give up on", "What did someone give up with"}
    after_of = {option.text for option in WALKER.complete("what did someone give of ")}
    assert "What did someone give of up" not in after_of


@pytest.mark.parametrize(
    ("sentence", "verb", "question"),
    [
        ("They blew up the bridge with dynamite .", "blew", "What was something blown up with?"),
        ("They gave the town back .", "gave", "What was given back?"),
        ("They gave the town back .", "gave", "Who did someone give something back to?"),
        ("It brought them together for a day .", "brought", "Why was someone brought together?"),
        ("She sent him home .", "sent", "Who was sent home by someone?"),
        ("He moved the meeting forward .", "moved", "What was moved forward?"),
        ("Workers fitted a new door .", "fitted", "Who fitted something?"),
        ("Workers fit a new door .", "fit", "Who fit something?"),
        ("Analysts forecast a fall .", "forecast", "Who forecast something?"),
        ("Analysts forecasted a fall .", "forecasted", "Who forecasted something?"),
        ("She OK'd it .", "OK'd", "Who OK'd something?"),
        ("She DM'd him .", "DM'd", "Who did someone DM?"),
    ],
)
def test_questions_about_particles_and_rare_forms_are_accepted(sentence, verb, question):
    tokens = sentence.split()
    forms = candidate_forms(verb)
    walker = CheckingWalker(item_table(forms[0], tokens, others=forms))
    assert walker.check(question).state == "complete"
    assert parse_question(question, *forms) is not None


@pytest.mark.parametrize(
    ("text", "substitute"),
    [
        ("Who could give something?", "might"),
        ("Who must give something?", "should"),
        ("Who cannot give something?", "can't"),
        ("What shall someone give?", "will"),
        ("Whom", "who"),
        ("Who are giving something?", "is"),
        ("Who gave could", ""),  # no auxiliary can stand here
        ("Who caried something?", ""),
    ],
)
def test_word_outside_the_template_has_a_substitute(text, substitute):
    check = WALKER.check(text + " ")
    assert (check.state, check.substitute) == ("wrong", substitute)
    assert not substitute or check.nearest[0] == substitute


@given(st.sampled_from(ALL_WALKERS), st.integers(0, 2**32), st.data())
def test_any_walk_is_legal_and_spelt_by_its_slots(walker, seed, data):
    text = random_question(walker, random.Random(seed), stop=0.4)
    question = f"{text[0].upper()}{text[1:]}?"
    assert walker.check(question).state == "complete"
    reading = walker.read(question)
    spelt = question_of(
        reading.slots,
        walker.spellings[0],
        has_separate_not=reading.has_separate_not,
        has_it=reading.has_it,
    )
    assert spelt == question
    phrase = verb_phrase_of(reading.slots)
    assert all(
        getattr(phrase, name) == getattr(reading, name) for name in VerbPhrase.__dataclass_fields__
    )
    cut = data.draw(st.integers(0, len(text)))
    assert walker.check(text[:cut]).state != "wrong"
    assert walker.complete(text[:cut])


@given(st.sampled_from(ALL_WALKERS), st.integers(0, 2**32))
def test_option_is_legal_and_extends_the_text(walker, seed):
    text = random_question(walker, random.Random(seed), stop=0.4)
    prefix = text[: random.Random(seed).randint(0, len(text))]
    for option in walker.complete(prefix):
        assert option.text.lower().startswith(prefix)
        check = walker.check(option.text)
        assert check.state == ("complete" if option.ends else "unfinished")


@given(st.text())
def test_any_text_can_be_checked(text):
    result = WALKER.check(text)
    assert 0 <= result.start <= result.end <= len(text)
    assert (WALKER.read(text) is not None) == (result.state == "complete")
    WALKER.complete(text)


@given(st.text(alphabet="ab? \t\u00a0"))
def test_split_gives_words_with_their_positions(text):
    typed = split(text)
    assert [text[word.start : word.end] for word in typed.words] == [
        word.text for word in typed.words
    ]
    assert typed.mark_at is None or text[typed.mark_at] == "?"


@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance_is_a_metric(a, b, c):
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("Who carried something?", {"wh": "who", "obj": "something", "aux": ""}),
        (
            "Who did not carry something?",
            {"aux": "didn't", "verb_prefix": "", "is_negated": True},
        ),
        (
            "What might not be carried?",
            {"aux": "might", "verb_prefix": "not~!~be", "is_negated": True, "is_passive": True},
        ),
        ("What wasn't being carried?", {"aux": "wasn't", "verb_prefix": "being"}),
        ("How long has something been carried?", {"wh": "how long", "verb_prefix": "been"}),
        ("What might have been carried?", {"verb_prefix": "have~!~been", "is_passive": True}),
        ("What did someone carry to do?", {"prep": "to", "obj2": "do"}),
        ("What did someone carry something doing?", {"prep": "", "obj2": "doing"}),
        ("What was something carried by doing?", {"prep": "by", "obj2": "doing"}),
        ("Why was something carried to do something?", {"prep": "to do", "obj2": "something"}),
        ("Why was something carried by doing something?", {"prep": "by doing"}),
        ("Who carried something doing something?", {"prep": "doing", "obj2": "something"}),
        ("What did someone carry someone?", {"obj": "", "obj2": "someone"}),
        ("Who carried something out of something?", {"prep": "out of", "obj": "something"}),
        ("Why did it carry something?", {"subj": "something"}),
    ],
)
def test_questions_have_their_published_slots(text, changes):
    slots = parse_question(text, CARRY)
    assert {name: getattr(slots, name) for name in changes} == changes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who gave something?", ("past", False, False, False, "past")),
        ("Who gives something?", ("present", False, False, False, "presentSingular3rd")),
        ("What did someone give?", ("past", False, False, False, "stem")),
        ("What does someone give?", ("present", False, False, False, "stem")),
        ("What isn't being given?", ("present", False, True, True, "being pastParticiple")),
        ("Who had been giving something?", ("past", True, True, False, "been presentParticiple")),
        ("Who won't give something?", ("will", False, False, False, "stem")),
        ("What should have been given?", ("should", True, False, True, "have been pastParticiple")),
        ("Who has given something?", ("present", True, False, False, "pastParticiple")),
        ("Who was given something?", ("past", False, False, True, "pastParticiple")),
    ],
)
def test_tense_aspect_and_voice(text, expected):
    reading = WALKER.read(text)
    assert expected == (
        reading.tense,
        reading.is_perfect,
        reading.is_progressive,
        reading.slots.is_passive,
        reading.verb_shape,
    )


@pytest.mark.parametrize(
    ("text", "aux", "subj", "obj", "obj2"),
    [
        # Both could be read with "did" as the main verb. The leftmost slot is filled first.
        ("What did someone do?", "did", "someone", "", ""),
        ("What did something do something?", "did", "something", "", "something"),
        ("Who did something?", "", "", "something", ""),
    ],
)
def test_ambiguous_text_fills_the_leftmost_slot(text, aux, subj, obj, obj2):
    slots = parse_question(text, DO)
    assert (slots.aux, slots.subj, slots.obj, slots.obj2) == (aux, subj, obj, obj2)


def test_inflection_is_the_first_form_with_the_spelling():
    put = VerbForms("put", "puts", "putting", "put", "put")
    run = VerbForms("run", "runs", "running", "ran", "run")
    named = [
        parse_question(text, forms).verb_slot_inflection
        for text, forms in [
            ("Who put something?", put),
            ("What was put somewhere?", put),
            ("What was run?", run),
            ("What did someone run?", run),
            ("What was carried?", CARRY),
            ("What was given?", GIVE),
            ("Who is giving something?", GIVE),
        ]
    ]
    assert named == [
        "Stem",
        "Stem",
        "PastParticiple",
        "Stem",
        "Past",
        "PastParticiple",
        "PresentParticiple",
    ]


def test_slots_without_an_inflection_have_no_spelling():
    slots = replace(parse_question("Who carried something?", CARRY), verb_slot_inflection="")
    with pytest.raises(ValueError, match="names no form"):
        question_of(slots, CARRY)


def test_tables_are_small():
    shared = json.dumps(automaton(), separators=(",", ":"))
    item = json.dumps(
        item_table(GIVE, " ".join(sentence for _, sentence in ITEMS).split()),
        separators=(",", ":"),
    )
    assert len(shared) < 5_000
    assert len(item) < 1_000
    assert len(zlib.compress(shared.encode())) < 1_500
