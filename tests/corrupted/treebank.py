"""Sentences in CoNLL-U with records of SemEval-2019 Task 2."""

# Per sentence: the id, the text, and its words as form, lemma, tag, head and relation.
_SENTENCES = (
    (
        "20671029",
        "The fund sold off its bonds in May.",
        "The the DET 2 det|fund fund NOUN 3 nsubj|sold sell VERB 0 root|off off ADP 3 compound:prt|"
        "its its PRON 6 nmod:poss|bonds bond NOUN 3 obj|in in ADP 8 case|May May PROPN 3 obl|"
        ". . PUNCT 3 punct",
    ),
    (
        "20671030",
        "Zoë’s bank bought the château but the miners never left it.",
        "Zoë Zoë PROPN 3 nmod:poss|’s ’s PART 1 case|bank bank NOUN 4 nsubj|bought buy VERB 0 root|"
        "the the DET 6 det|château château NOUN 4 obj|but but CCONJ 11 cc|the the DET 9 det|"
        "miners miner NOUN 11 nsubj|never never ADV 11 advmod|left leave VERB 4 conj|it it PRON 11 obj|"
        ". . PUNCT 4 punct",
    ),
    (
        "20671031",
        "Heavy snow closed three schools, so parents gave up their plans.",
        "Heavy heavy ADJ 2 amod|snow snow NOUN 3 nsubj|closed close VERB 0 root|"
        "three three NUM 5 nummod|schools school NOUN 3 obj|, , PUNCT 9 punct|so so CCONJ 9 cc|"
        "parents parent NOUN 9 nsubj|gave give VERB 3 conj|up up ADP 9 compound:prt|"
        "their their PRON 12 nmod:poss|plans plan NOUN 9 obj|. . PUNCT 3 punct",
    ),
    (
        "20671032",
        "Workers from Łódź built 12 ferries.",
        "Workers worker NOUN 4 nsubj|from from ADP 3 case|Łódź Łódź PROPN 1 nmod|built build VERB 0 root|"
        "12 12 NUM 6 nummod|ferries ferry NOUN 4 obj|. . PUNCT 4 punct",
    ),
)  # fmt: skip
_TASK_A = """\
#20671029 3_4 sell_off.Commerce_sell
#20671030 4 buy.Commerce_buy
#20671030 11 leave.Departing
#20671031 3 close.Closure
#20671031 9_10 give_up.Activity_stop
#20671032 4 build.Building
"""
_TASK_B1 = """\
#20671029 3_4 sell_off.Commerce_sell fund-:-2-:-Seller bond-:-6-:-Goods May-:-8-:-Time
#20671030 4 buy.Commerce_buy bank-:-3-:-Buyer château-:-6-:-Goods
#20671030 11 leave.Departing miner-:-9-:-Theme it-:-12-:-Source
#20671031 3 close.Closure snow-:-2-:-Agent school-:-5-:-Container_portal
#20671031 9_10 give_up.Activity_stop parent-:-8-:-Agent plan-:-12-:-Activity
#20671032 4 build.Building worker-:-1-:-Agent 12_ferry-:-5_6-:-Created_entity
"""
_TASK_B2 = """\
#20671029 3_4 sell_off.na fund-:-2-:-Agent bond-:-6-:-Theme
#20671030 4 buy.na bank-:-3-:-Agent château-:-6-:-Theme
#20671030 11 leave.na miner-:-9-:-Theme it-:-12-:-InitialLocation
#20671031 3 close.na snow-:-2-:-Cause school-:-5-:-Patient
#20671031 9_10 give_up.na parent-:-8-:-Agent plan-:-12-:-Theme
#20671032 4 build.na worker-:-1-:-Agent 12_ferry-:-5_6-:-Product
"""
_CONFIDENCE = """\
#20671029 3_4 5
#20671030 4 4
#20671030 11 2
#20671031 3 5
#20671031 9_10 3
#20671032 4 1
"""
RECORDS = {
    "task-a.txt": _TASK_A,
    "task-b1.txt": _TASK_B1,
    "task-b2.txt": _TASK_B2,
    "confidence.txt": _CONFIDENCE,
}


def conllu_text() -> str:
    """Return the sentences in CoNLL-U."""
    blocks = []
    for name, text, words in _SENTENCES:
        lines = [f"# sent_id = {name}", f"# text = {text}"]
        place = 0
        for number, word in enumerate(words.split("|"), start=1):
            form, lemma, tag, head, relation = word.split()
            place = text.index(form, place) + len(form)
            is_close = place < len(text) and text[place] != " "
            misc = "SpaceAfter=No" if is_close else "_"
            columns = (str(number), form, lemma, tag, "_", "_", head, relation, "_", misc)
            lines.append("\t".join(columns))
        blocks.append("\n".join(lines) + "\n\n")
    return "".join(blocks)
