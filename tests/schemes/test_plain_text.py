"""Sentences and words of plain text, compared with a treebank."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.items import ItemContext
from schemes.plain_text import read_text, sentences
from schemes.qasrl.items import find_verbs
from tests.environment import ROOT
from tests.schemes.treebank import Documents, Score, documents

EWT = ROOT.parent / "shared" / "data" / "ud" / "en_ewt-ud-dev.conllu"
ARABIC = EWT.with_name("ar_pud-ud-test.conllu")


def words(text):
    return [" ".join(tokens) for tokens in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He didn't go.", ["He did n't go ."]),
        ("He didn’t; she’ll say “it’s Ann’s”.", ["He did n’t ; she ’ll say “ it ’s Ann ’s ” ."]),
        ("I cannot. CANNOT!", ["I can not .", "CAN NOT !"]),
        ("It's gonna rain.", ["It 's gon na rain ."]),
        (
            "Wanna go? Gotta! Lemme, gimme; dunno",
            ["Wan na go ?", "Got ta !", "Lem me , gim me ; du n no"],
        ),
        ("'Tis the dogs' rock 'n' roll.", ["'T is the dogs ' rock 'n' roll ."]),
        ("O'Brien's l'homme d'État aujourd'hui", ["O'Brien 's l'homme d'État aujourd'hui"]),
        ("She was re-elected in the U.S. in May.", ["She was re-elected in the U.S. in May ."]),
        ("A well-known co-author (1999-2001).", ["A well - known co-author ( 1999 - 2001 ) ."]),
        (
            "One came. Two left! Three?! (Four.) Five",
            ["One came .", "Two left !", "Three ?!", "( Four . )", "Five"],
        ),
        ("Mr. Smith can't stay.", ["Mr. Smith ca n't stay ."]),
        ("We met Dr. No at Acme Inc. yesterday.", ["We met Dr. No at Acme Inc. yesterday ."]),
        ("He joined Acme Inc. The firm grew.", ["He joined Acme Inc.", "The firm grew ."]),
        (
            "J. R. R. Tolkien, e.g. No. 5, said no. No!",
            ["J. R. R. Tolkien , e.g. No. 5 , said no .", "No !"],
        ),
        (
            "It ended at 5pm... then on 3/4/2001 at 7:30 we ran 10km.",
            ["It ended at 5 pm ... then on 3/4/2001 at 7:30 we ran 10 km ."],
        ),
        ("$5.20, US$3, 10%, €1,000.50", ["$ 5.20 , US$ 3 , 10 % , € 1,000.50"]),
        (
            "See http://a.org/b?c=d. Or mail a.b@c.org!",
            ["See http://a.org/b?c=d .", "Or mail a.b@c.org !"],
        ),
        (
            "see www.x.org, report.pdf and/or AT&T w/o #tag @me :-)",
            ["see www.x.org , report.pdf and / or AT&T w/o #tag @me :-)"],
        ),
        (
            "It has 6 ft. One more rep. Gen. Lee won.Then.Next he left.",
            ["It has 6 ft .", "One more rep .", "Gen. Lee won . Then . Next he left ."],
        ),
        ("i like it. they do. ok? yes", ["i like it .", "they do .", "ok ?", "yes"]),
        ("10\u00a0000\u202f€", ["10 000 €"]),
        ("one\u2028two\x0cthree\x85four\x1cfive", ["one two three four five"]),
        ("   ", []),
        ("- - -- ---", ["- - -- ---"]),
        ("He ca n't -LRB- can not -RRB- ; du n no `` it '' .", None),
        ("Ann 's dogs ' well - known U.S. co-author is gon na go .", None),
    ],
)
def test_sentences_are_tokenised_like_treebanks(text, expected):
    """Text that is already tokenised stays as it is, which None stands for."""
    assert words(text) == (expected if expected is not None else [text])


@pytest.mark.parametrize(
    "text",
    [
        "co\u00adoperative",
        "cafe\u0301",
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d👩\u200d👧",
        "👍🏽",
        "🇩🇪",
        "1\ufe0f\u20e3",
        "❤\ufe0f\u200d🔥",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "नमस्ते",
        "a\u200bb",
        "\u200fשלום\u200f",
        "\ufeffword",
        "o\u0338",
    ],
)
def test_invisible_and_combining_characters_stay_in_their_word(text):
    assert words(f"The {text} ran.") == [f"The {text} ran ."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他说中文。她走了！好吗？", ["他说中文 。", "她走了 ！", "好吗 ？"]),
        ("नमस्ते दुनिया। कैसे हो॥", ["नमस्ते दुनिया ।", "कैसे हो ॥"]),
        ("مرحبا، هل أنت بخير؟ نعم.", ["مرحبا ، هل أنت بخير ؟", "نعم ."]),
        (
            "„Guten Tag“, sagte er. «Oui», dont il parle.",
            ["„ Guten Tag “ , sagte er .", "« Oui » , dont il parle ."],
        ),
        ("Im Haus geht's ums Want.", ["Im Haus geht 's ums Want ."]),
    ],
)
def test_other_languages_are_split_at_punctuation(text, expected):
    assert words(text) == expected


def without_white_space(text):
    """Return the text without white space and control characters, which separate words."""
    return "".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Cc")


ODD = (
    "aA1.,'’-/@:;()!?\"“\u00ad\u200d\u200b\u0301👩🏽🇩 \u00a0\x1c\x85\u2028\x07े中。$%&#_*<3nt\u0903ﬁ"
)


@given(st.text(max_size=80) | st.text(st.sampled_from(ODD), max_size=40))
def test_text_is_never_altered(text):
    tokens = [token for sentence in sentences(text) for token in sentence]
    assert "".join(tokens) == without_white_space(text)
    assert all(tokens)


@given(st.lists(st.text(max_size=40).filter(lambda text: not set(text) & set("\r\n\0"))))
def test_text_of_a_sentence_is_a_part_of_its_line(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("text") / "x.txt"
    path.write_bytes("\n".join(["First.", *lines]).encode(errors="replace"))
    for record in read_text(path, on_error=lambda error: None):
        line = ["First.", *lines][record.line - 1].encode(errors="replace").decode()
        assert record.text in line
        assert without_white_space(record.text) == "".join(record.tokens)
        assert record.text == record.text.strip()


@pytest.mark.parametrize(
    ("tokens", "verbs"),
    [
        ("He cannot swim .", "swim"),
        ("He can not swim .", "swim"),
        ("CANNOT you swim ?", "swim"),
        ("We cannot .", ""),
        ("It 's gonna rain .", "rain"),
        ("It 's gon na rain .", "rain"),
        ("You gotta eat it .", "eat"),
        ("You got ta eat it .", "eat"),
        ("I wanna go home .", "wanna go"),
        ("I wan na go home .", "wan go"),
        ("I dunno him .", "dunno"),
        ("I du n no him .", "no"),
        ("Lemme see it .", "Lemme see"),
        ("Gim me the book .", "Gim"),
        ("They re\u00adelected him .", "re\u00adelected"),
        ("He didn’t swim .", "swim"),
    ],
)
def test_verbs_of_contractions_are_found(tokens, verbs):
    words = tokens.split(" ")
    items = find_verbs("a", ItemContext(words))
    assert " ".join(words[item.target["verb_idx"]] for item in items) == verbs


@pytest.mark.parametrize(
    "part",
    [
        "a@",
        "a.",
        "1-",
        "www.",
        "👩\u200d",
        "Mr.",
        "/",
        "co-",
        "http://a",
        "n't",
        ":-",
        "A&",
        "\u00ad",
        "No. ",
        "a. ",
    ],
)
def test_time_is_linear_in_the_length(part):
    list(sentences("Warm up."))
    before = time.process_time()
    list(sentences((part * 50_000)[:50_000]))
    assert time.process_time() - before < 5


needs_treebank = pytest.mark.skipif(not EWT.exists(), reason="needs the data of a treebank")


@needs_treebank
def test_words_and_sentences_equal_those_of_a_treebank():
    """The rules were written with the odd documents, so that the even ones are a fair test."""
    _, even = documents(EWT)
    score = Score()
    for paragraph in even:
        score.add(paragraph, list(sentences(paragraph.text)))
    assert score.token_f1 >= 0.99
    assert score.sentence_f1 >= 0.84


@needs_treebank
@pytest.mark.parametrize("path", [EWT, ARABIC])
def test_no_character_of_a_treebank_is_lost(path):
    texts: Documents = [paragraph for half in documents(path) for paragraph in half]
    for paragraph in texts:
        tokens = [token for sentence in sentences(paragraph.text) for token in sentence]
        assert "".join(tokens) == without_white_space(paragraph.text)
