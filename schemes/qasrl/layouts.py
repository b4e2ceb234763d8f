"""The layouts of QA-SRL's formats."""

from schemes.layouts import Column, Layout, LayoutKind
from schemes.qasrl.published_csv import ALIASES, GOLD_COLUMNS, NOUN_COLUMNS
from schemes.table_sentences import LAYOUT, TABLE

_ID = Column(
    "qasrl_id",
    names=("id", "sentence_id", "sent_id", "key"),
    description="The id of the sentence.",
)
_TOKENS = Column(
    "tokens",
    names=("words", "tokenized", "tokenised", "sentenceTokens"),
    pattern=r".*\S \S+ \S.*",
    description="The tokens of the sentence, separated by blanks.",
)
_VERB_IDX = Column(
    "verb_idx",
    names=(*(alias for alias, name in ALIASES.items() if name == "verb_idx"), "verb_index"),
    pattern=r"\d{1,3}",
    description="The position of the verb, from 0.",
)
_QUESTION = Column(
    "question", names=("q",), pattern=r".+\?", description="The question about the verb."
)
_ANSWERS = Column(
    "answer_range",
    names=("answer_ranges", "answer_span", "answer_spans", "span", "spans", "range"),
    pattern=r"\d+:\d+(?:~!~\d+:\d+)*",
    description="The token ranges of the answers, such as 0:2~!~5:6.",
)
_ANSWER = Column(
    "answer",
    is_required=False,
    names=("answers", "answer_text"),
    description="The words of the answers, which are compared with the ranges.",
)
# The rest of the published columns, which can be mapped but are not offered on pages.
_OTHERS = tuple(
    Column(name, is_required=False)
    for name in dict.fromkeys((*GOLD_COLUMNS, *NOUN_COLUMNS, "target_range"))
    if name not in {"qasrl_id", "verb_idx", "question", "answer_range", "answer", *ALIASES}
)
_BANK = Layout(LayoutKind.JSON_LINES, keys=("sentenceTokens", "verbEntries"))

LAYOUTS = {
    "qasrl-csv": Layout(LayoutKind.TABLE, columns=(_ID, _TOKENS)),
    "qasrl-bank": _BANK,
    "conllu": Layout(LayoutKind.CONLLU),
    "text": Layout(LayoutKind.TEXT),
    TABLE: LAYOUT,
}
ITEM_LAYOUTS = {
    "qasrl-csv": Layout(LayoutKind.TABLE, columns=(_ID, _VERB_IDX, *_OTHERS)),
    "qasrl-bank": _BANK,
}
GOLD_LAYOUTS = {
    "qasrl-csv": Layout(
        LayoutKind.TABLE, columns=(_ID, _VERB_IDX, _QUESTION, _ANSWERS, _ANSWER, *_OTHERS)
    ),
    "qasrl-bank": _BANK,
    "qasrl-parser": Layout(LayoutKind.JSON_LINES, any_keys=("verbs", "qasrl", "qanom")),
}
