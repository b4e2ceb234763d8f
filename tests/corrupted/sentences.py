"""Small valid data sets of every scheme, whose files are corrupted."""

from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow, ItemRecord
from schemes.qasrl.scheme import SCHEME as QASRL

# Id, tokens, written text, and predicates with their questions. Answers are words of the sentence.
SENTENCES = (
    (
        "wikinews:9041:0:0",
        "The museum sold two paintings to a collector in Kraków , but it kept the sculptures .",
        "The museum sold two paintings to a collector in Kraków, but it kept the sculptures.",
        {
            "sold": {
                "Who sold something?": ["The museum"],
                "What did someone sell?": ["two paintings"],
                "Who did someone sell something to?": ["a collector in Kraków"],
            },
            "kept": {
                "What kept something?": ["it", "The museum"],
                "What did something keep?": ["the sculptures"],
            },
        },
    ),
    (
        "wikinews:9041:0:1",
        "Visitors had n't noticed the forged signature until Zoë Müller examined it .",
        "Visitors hadn't noticed the forged signature until Zoë Müller examined it.",
        {
            "noticed": {
                "Who hadn't noticed something?": ["Visitors"],
                "What hadn't someone noticed?": ["the forged signature"],
            },
            "examined": {
                "Who examined something?": ["Zoë Müller"],
                "What was examined?": ["it", "the forged signature"],
            },
        },
    ),
    (
        "wikinews:9041:1:0",
        "Rain delayed the match , and the referee might cancel it tomorrow .",
        "Rain delayed the match, and the referee might cancel it tomorrow.",
        {
            "delayed": {
                "What delayed something?": ["Rain"],
                "What was delayed?": ["the match"],
            },
            "cancel": {
                "Who might cancel something?": ["the referee"],
                "What might be canceled?": ["it"],
                "When might someone cancel something?": ["tomorrow"],
            },
        },
    ),
    (
        "wikipedia:77:2:4",
        "Engineers from São Paulo built the bridge and later sold it to the city .",
        "Engineers from São Paulo built the bridge and later sold it to the city.",
        {
            "built": {
                "Who built something?": ["Engineers from São Paulo"],
                "What was built?": ["the bridge"],
            },
            "sold": {
                "Who sold something?": ["Engineers from São Paulo"],
                "What was sold?": ["it"],
                "When did someone sell something?": ["later"],
            },
        },
    ),
    (
        "wikipedia:77:3:0",
        "\" Nobody expected the naïve plan to work , \" she said quietly .",
        "\"Nobody expected the naïve plan to work,\" she said quietly.",
        {
            "expected": {"Who expected something?": ["Nobody"]},
            "work": {"What might work?": ["the naïve plan"]},
            "said": {
                "Who said something?": ["she"],
                "How did someone say something?": ["quietly"],
            },
        },
    ),
)  # fmt: skip
# Nouns by sentence, with the stems of their verbs. A noun without questions is no event.
NOUNS = (
    (
        "wikinews:9050:0:0",
        "The sudden destruction of the archive shocked historians during their meeting .",
        "The sudden destruction of the archive shocked historians during their meeting.",
        {
            ("destruction", "destroy"): {"What was destroyed?": ["the archive"]},
            ("meeting", "meet"): {"Who met?": ["historians"]},
        },
    ),
    (
        "wikinews:9050:0:1",
        "His decision about the building surprised Ms. Ångström .",
        "His decision about the building surprised Ms. Ångström.",
        {
            ("decision", "decide"): {
                "Who decided something?": ["His"],
                "What did someone decide about?": ["the building"],
            },
            ("building", "build"): {},
        },
    ),
)


def qasrl_rows(*, nouns: bool = False) -> list[ExportRow]:
    """Return a gold row for each predicate, as an export reads them."""
    rows = []
    for external_id, joined, text, predicates in NOUNS if nouns else SENTENCES:
        tokens = tuple(joined.split())
        for predicate, questions in predicates.items():
            rows.append(_row(external_id, tokens, text, predicate, questions))
    return rows


def _row(external_id, tokens, text, predicate, questions) -> ExportRow:
    word, stem = predicate if isinstance(predicate, tuple) else (predicate, "")
    at = tokens.index(word)
    target = {"verb_idx": at} | ({"kind": "noun", "verb_form": stem} if stem else {})
    item = QASRL.corpus.complete_item(ItemRecord(external_id, str(at), target), ItemContext(tokens))
    content = {
        "questions": [
            {"question": question, "answers": [list(span_of(answer, tokens)) for answer in answers]}
            for question, answers in questions.items()
        ]
    }
    if stem:
        content["is_verbal"] = bool(questions)
    gold = QASRL.content.parse_gold(content, ItemContext(tokens, target=item.target))
    assert all(question["slots"] for question in gold["questions"]), gold
    ids = {"worker_id": "A1", "assign_id": "3X", "source_assign_id": ""}
    provenance = [ids for _ in gold["questions"]]
    return ExportRow(external_id, tokens, item.target, gold, provenance, text=text)


def span_of(words: str, tokens: tuple[str, ...]) -> tuple[int, int]:
    wanted = tuple(words.split())
    starts = range(len(tokens) - len(wanted) + 1)
    start = next(at for at in starts if tokens[at : at + len(wanted)] == wanted)
    return start, start + len(wanted)
