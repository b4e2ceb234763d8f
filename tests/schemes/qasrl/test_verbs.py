import subprocess
import sys

import pytest

from schemes.contract.errors import ContentError
from schemes.english.forms import VerbForms, forms_from_names
from schemes.english.verbs import EXCEPTIONS, candidate_forms, verb_forms, verb_forms_at
from schemes.qasrl.published_csv import read_gold_rows

from .published_data import GOLD, needs_published_data
from .test_published_csv import raised


@pytest.mark.parametrize(
    ("token", "forms"),
    [
        ("carried", "carry carries carrying carried carried"),
        ("Gave", "give gives giving gave given"),
        ("proven", "prove proves proving proved proven"),
        ("mimicking", "mimic mimics mimicking mimicked mimicked"),
        ("blended", "blend blends blending blended blended"),
        ("re-elected", "re-elect re-elects re-electing re-elected re-elected"),
        ("co-authors", "co-author co-authors co-authoring co-authored co-authored"),
        ("re-built", "re-build re-builds re-building re-built re-built"),
        ("travelling", "travel travels travelling travelled travelled"),
        ("traveling", "travel travels traveling traveled traveled"),
        ("lay", "lie lies lying lay lain"),
        ("laid", "lay lays laying laid laid"),
        ("lied", "lie lies lying lied lied"),
        ("found", "find finds finding found found"),
        ("saw", "see sees seeing saw seen"),
        ("ran", "run runs running ran run"),
        ("has", "have has having had had"),
        ("did", "do does doing did done"),
        ("put", "put puts putting put put"),
        ("lit", "light lights lighting lit lit"),
        ("hanged", "hang hangs hanging hanged hanged"),
        ("burnt", "burn burns burning burnt burnt"),
        ("learnt", "learn learns learning learnt learnt"),
        ("fulfil", "fulfil fulfils fulfilling fulfilled fulfilled"),
        ("leaped", "leap leaps leaping leaped leaped"),
        ("focussed", "focus focusses focussing focussed focussed"),
        ("bade", "bid bids bidding bade bidden"),
        ("snuck", "sneak sneaks sneaking snuck snuck"),
        ("unfroze", "unfreeze unfreezes unfreezing unfroze unfrozen"),
        ("surveilled", "surveil surveils surveilling surveilled surveilled"),
        ("underwent", "undergo undergoes undergoing underwent undergone"),
        ("overcame", "overcome overcomes overcoming overcame overcome"),
    ],
)
def test_forms_of_verbs_are_inflected(token, forms):
    assert verb_forms(token) == VerbForms(*forms.split())


@pytest.mark.parametrize(
    ("sentence", "verb", "stem"),
    [
        ("The ship lay in port .", "lay", "lie"),
        ("They want to lay a stone .", "lay", "lay"),
        ("Hens lay eggs .", "lay", "lay"),
        ("He laid it down .", "laid", "lay"),
        ("They will not found a firm .", "found", "found"),
        ("They found it .", "found", "find"),
    ],
)
def test_context_disambiguates_two_verbs(sentence, verb, stem):
    tokens = sentence.split()
    assert verb_forms_at(tokens, tokens.index(verb)).stem == stem


@pytest.mark.parametrize(
    ("token", "past", "participle"),
    [
        ("light", {"lit", "lighted"}, {"lit", "lighted"}),
        ("hang", {"hung", "hanged"}, {"hung", "hanged"}),
        ("learn", {"learned", "learnt"}, {"learned", "learnt"}),
        ("give", {"gave"}, {"given"}),
        ("get", {"got"}, {"got", "gotten"}),
    ],
)
def test_all_spellings_are_known(token, past, participle):
    spellings = candidate_forms(token)
    assert {forms.past for forms in spellings} == past
    assert {forms.past_participle for forms in spellings} == participle


@needs_published_data
def test_form_of_the_sentence_is_always_included():
    verbs = {row.verb for row in read_gold_rows(GOLD, on_error=raised)}
    assert len(verbs) > 600
    assert not [verb for verb in verbs if verb not in verb_forms(verb).by_name().values()]


def test_other_readings_follow_the_likeliest_reading():
    assert [forms.stem for forms in candidate_forms("saw")][:2] == ["see", "saw"]
    assert "combatted" in {forms.past for forms in candidate_forms("combat")}


@pytest.mark.parametrize("token", ["-", "--", "x-", "'s", "😀", "a" * 5000, "2", "\u202e"])
def test_unknown_token_has_forms(token):
    for forms in candidate_forms(token):
        assert set(forms.by_name()) == {
            "stem",
            "presentSingular3rd",
            "presentParticiple",
            "past",
            "pastParticiple",
        }


def test_exceptions_have_four_forms():
    assert {len(forms.split()) for forms in EXCEPTIONS.values()} == {4}


def test_lemminflect_is_loaded_on_first_use():
    code = "import sys, schemes.english.verbs as v; assert 'lemminflect' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "broken", [{}, {"stem": ""}, {"stem": 3}, {"stem": "a b"}, {"stem": "x" * 99}]
)
def test_invalid_forms_are_refused_by_name(broken):
    good = verb_forms("carry").by_name()
    values = broken and {**good, **broken}
    with pytest.raises(ContentError) as excinfo:
        forms_from_names(values)
    assert excinfo.value.path == "forms.stem"
