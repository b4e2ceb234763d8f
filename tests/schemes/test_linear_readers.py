"""The CPU time of readers of uploads, which must not grow faster than the size of a hostile file."""

import gc
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from annotation.domain.corpus.corpus_limits import within_limits
from annotation.domain.corpus.source_files import AS_IT_IS, open_gold, open_items, open_sentences
from schemes.contract.errors import ContentError, FileError
from schemes.contract.items import ItemContext
from schemes.frames.lexicon.value import EMPTY
from schemes.registry import get_scheme

pytestmark = pytest.mark.slow
Content = Callable[[int], "str | bytes"]
# Quadratic work has a ratio of 4. The CPU time of a busy machine varies, so one good pair is enough.
MAX_RATIO = 2.5
ATTEMPTS = 6
# Files are made larger until reading one takes this time, or until they are this much larger. A file that
# is refused for its size takes no more time.
SECONDS = 0.03
MAX_FACTOR = 16


def archive(files: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in files.items():
            target.writestr(name, text)
    return stream.getvalue()


def conllu(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def word(number: int, form: str = "runs", **columns: str) -> str:
    fields = {"lemma": "_", "upos": "VERB", "xpos": "_", "feats": "_", "head": "_",
              "deprel": "_", "deps": "_", "misc": "_"} | columns  # fmt: skip
    return "\t".join([str(number), form, *fields.values()])


TEXTS: dict[str, tuple[Content, int]] = {
    "hyphens": (lambda n: "-" * n, 20_000),
    "hyphened": (lambda n: "a-" * n, 4_000),
    "faces": (lambda n: ":) " * n + "a", 10_000),
    "faces-in-one": (lambda n: ":)" * n + "a", 10_000),
    "closers": (lambda n: "." + ")" * n + " a", 10_000),
    "stops": (lambda n: ".)" * n, 10_000),
    "numbers": (lambda n: "1." * n + "1a", 4_000),
    "dates": (lambda n: "1-1/" * n + "a", 4_000),
    "clitics": (lambda n: "a" + "'s" * n, 10_000),
    "apostrophes": (lambda n: "a'" * n, 10_000),
    "letters": (lambda n: "a" * n, 40_000),
    "capitals": (lambda n: "A." * n + "a", 10_000),
    "initials": (lambda n: "A. " * n, 10_000),
    "blanks": (lambda n: "A. " + " " * n + "b", 40_000),
    "addresses": (lambda n: "http://" + "," * n, 20_000),
    "www": (lambda n: "www.," * n, 10_000),
    "hosts": (lambda n: "a.b-" * n, 4_000),
    "ats": (lambda n: "a@" * n, 8_000),
    "marks": (lambda n: "a" + "\u0301" * n, 20_000),
    "formats": (lambda n: "\u200b" * n, 20_000),
    "emoji": (lambda n: "\U0001f600\u200d" * n, 10_000),
    "regional": (lambda n: "\U0001f1e6" * n, 10_000),
    "symbols": (lambda n: "=*" * n, 10_000),
    "tags": (lambda n: "</3" * n, 10_000),
    "ampersands": (lambda n: "A&" * n + "a", 10_000),
    "zeros": (lambda n: "'" + "0" * n, 20_000),
    "quotes": (lambda n: "\"'" * n, 10_000),
    "underscores": (lambda n: "_-" * n, 8_000),
}

CSV = "id,text\n"
TABLES: dict[str, tuple[Content, int]] = {
    "columns": (lambda n: ",".join(f"c{at}" for at in range(n)) + ",text\n1\n", 20_000),
    "same-columns": (lambda n: ",".join("c" for at in range(n)) + ",text\n1\n", 20_000),
    "rows": (lambda n: CSV + "a,b\n" * n, 5_000),
    "short-rows": (lambda n: CSV + "a\n" * n, 10_000),
    "unclosed": (lambda n: CSV + '"a,b\n' * n, 10_000),
    "unclosed-tabs": (lambda n: "id\ttext\n" + '"a\tb\n' * n, 10_000),
    "quoted-tabs": (lambda n: "id\ttext\n" + 'a"\t"b\tc\n' * n, 10_000),
    "returns": (lambda n: "text\r" + "a" * n, 400_000),
    "json-scalars": (lambda n: "[" + "1," * n + "1]", 40_000),
    "json-after-large": (lambda n: '[{"text": "' + "a" * 20 * n + '"}' + ",1" * n + "]", 40_000),
    "json-keys": (
        lambda n: '[{"text": "a"' + "".join(f',"k{at}":1' for at in range(n)) + "}]",
        20_000,
    ),
    "json-same-keys": (
        lambda n: "[{" + "".join(f'"k{at}":1,' for at in range(n)) + '"z": 1, "z": 2}]',
        10_000,
    ),
    "json-objects": (lambda n: "[" + '{"text": "a b"},' * n + '{"text": "c"}]', 5_000),
    "json-deep": (lambda n: '[{"text": ' + "[" * n + "]" * n + "}]", 20_000),
    "json-open": (lambda n: '[{"text": ' + '"a' * n, 40_000),
    "json-lines": (lambda n: '{"text": "a b"}\n' * n, 5_000),
    "json-escapes": (lambda n: '{"text": "' + "\\ud83d\\ude00" * n + '"}\n', 10_000),
}
CONLLU: dict[str, tuple[Content, int]] = {
    "words": (lambda n: conllu(word(at) for at in range(1, n + 1)), 1_000),
    "comments": (lambda n: conllu("# newdoc" + "x" for at in range(n)) + word(1), 10_000),
    "comment": (lambda n: "# " + " " * n + "\n" + word(1), 40_000),
    "one-range": (lambda n: conllu(["1-900000000\ta" + "\t_" * 8, word(1)] * n), 2_000),
    "range": (
        lambda n: conllu(
            [f"1-{n}\t{'a' * n}" + "\t_" * 8, *(word(at, "a") for at in range(1, n + 1))]
        ),
        1_000,
    ),
    "misc": (lambda n: conllu([word(1, misc="a|" * n + "b")]), 20_000),
    "feats": (lambda n: conllu([word(1, feats="a=b|" * n + "c=d")]), 20_000),
    "deps": (lambda n: conllu([word(1, deps="0:a|" * n + "1:b")]), 20_000),
    "columns": (
        lambda n: (
            "# global.columns = ID FORM " + " ".join(f"c{at}" for at in range(n)) + "\n1\ta\n"
        ),
        10_000,
    ),
    "blocks": (lambda n: (word(1) + "\n\n") * n, 2_000),
    "text": (
        lambda n: "# text = " + " " * n + "a b\n" + conllu([word(1, "a"), word(2, "b")]),
        20_000,
    ),
    "other-text": (
        lambda n: "# text = " + "b " * n + "\n" + conllu(word(at, "a") for at in range(1, 500)),
        10_000,
    ),
}
QASRL = (
    "qasrl_id,verb_idx,verb,question,answer_range,answer,wh,subj,obj,obj2,aux,prep,is_passive,"
    "is_negated\n"
)
QASRL_ROW = "s:{},{},runs,Who runs?,0:1,Ann,who,,,,,,False,False\n"


def bank(tokens: int, verbs: int, labels: int) -> str:
    forms = {
        "stem": "run",
        "presentSingular3rd": "runs",
        "presentParticiple": "running",
        "past": "ran",
        "pastParticiple": "run",
    }
    slots = {
        "wh": "who",
        "aux": "_",
        "subj": "_",
        "verb": "presentSingular3rd",
        "obj": "_",
        "prep": "_",
        "obj2": "_",
    }
    entry = {
        "sentenceId": "s",
        "sentenceTokens": ["runs"] * tokens,
        "verbEntries": {
            str(at): {
                "verbIndex": at,
                "verbInflectedForms": forms,
                "questionLabels": {
                    f"Who runs{number}?": {
                        "questionString": f"Who runs{number}?",
                        "questionSources": ["x"],
                        "tense": "present",
                        "isPerfect": False,
                        "isProgressive": False,
                        "isNegated": False,
                        "isPassive": False,
                        "questionSlots": slots,
                        "answerJudgments": [
                            {"sourceId": f"a{number}", "isValid": True, "spans": [[0, 1]] * 3}
                        ],
                    }
                    for number in range(labels)
                },
            }
            for at in range(verbs)
        },
    }
    return json.dumps(entry) + "\n"


def qa_pairs(n: int) -> str:
    pairs = [
        {
            "question": "Who runs?",
            "spans": [{"start": 0, "end": 0, "text": "Ann", "score": 0.9}] * 2,
        }
    ] * n
    return (
        json.dumps(
            {
                "sentenceId": "s",
                "words": ["Ann", "runs"],
                "verbs": [{"index": 1, "qa_pairs": pairs}],
            }
        )
        + "\n"
    )


GOLD_QASRL: dict[str, tuple[str, Content, int]] = {
    "one-predicate": ("qasrl-csv", lambda n: QASRL + QASRL_ROW.format(1, 1) * n, 2_000),
    "predicates": (
        "qasrl-csv",
        lambda n: QASRL + "".join(QASRL_ROW.format(at, 1) for at in range(n)),
        2_000,
    ),
    "scattered": (
        "qasrl-csv",
        lambda n: QASRL + "".join(QASRL_ROW.format(at % 2, 1) for at in range(n)),
        2_000,
    ),
    "scattered-bad": (
        "qasrl-csv",
        lambda n: (
            QASRL
            + "".join(QASRL_ROW.format(at % (n // 2), 1) for at in range(n))
            + "s:1,1,runs\n" * n
        ),
        2_000,
    ),
    "bad": ("qasrl-csv", lambda n: QASRL + "s:1,x,runs,Who?,0,,,,,,,,,\n" * n, 2_000),
    "questions": (
        "qasrl-csv",
        lambda n: (
            QASRL
            + "".join(
                QASRL_ROW.format(1, 1).replace("Who runs?", f"Who runs {at}?") for at in range(n)
            )
        ),
        2_000,
    ),
    "ranges": (
        "qasrl-csv",
        lambda n: (
            QASRL
            + QASRL_ROW.format(1, 1).replace("0:1", "~!~".join(f"{at}:{at + 1}" for at in range(n)))
        ),
        2_000,
    ),
    "long-question": (
        "qasrl-csv",
        lambda n: QASRL + QASRL_ROW.format(1, 1).replace("Who runs?", "Who " * n),
        10_000,
    ),
    "bank-labels": ("qasrl-bank", lambda n: bank(1, 1, n), 500),
    "bank-verbs": ("qasrl-bank", lambda n: bank(n, n, 1), 300),
    "bank-lines": ("qasrl-bank", lambda n: bank(2, 1, 1) * n, 300),
    "parser": ("qasrl-parser", qa_pairs, 2_000),
    "parser-verbs": (
        "qasrl-parser",
        lambda n: json.dumps(
            {
                "sentenceId": "s",
                "words": ["runs"] * n,
                "verbs": [{"index": at, "qa_pairs": []} for at in range(n)],
            }
        ),
        5_000,
    ),
    "qasem": (
        "qasrl-parser",
        lambda n: json.dumps(
            {
                "sentence": "Ann runs",
                "id": "s",
                "words": ["Ann", "runs"],
                "qasrl": [
                    {
                        "predicate_idx": 1,
                        "predicate": "runs",
                        "QAs": [
                            {"question": f"Who runs{at}?", "answers": ["Ann"]} for at in range(n)
                        ],
                    }
                ],
            }
        ),
        2_000,
    ),
    "qasem-words": (
        "qasrl-parser",
        lambda n: json.dumps(
            {
                "sentence": "Ann runs",
                "id": "s",
                "words": ["Ann"] * n,
                "qasrl": [
                    {
                        "predicate_idx": 1,
                        "predicate": "Ann",
                        "QAs": [{"question": "Who runs?", "answers": ["Ann Ann Bob"] * n}],
                    }
                ],
            }
        ),
        500,
    ),
    "key-path": (
        "qasrl-bank",
        lambda n: '{"' + "k" * 10 * n + '": [' + "1," * n + '"\\ud800"]}',
        20_000,
    ),
}
GOLD_FRAMES: dict[str, tuple[str, Content, int]] = {
    "records": (
        "semeval",
        lambda n: "".join(f"#{at} 1 run.Running a-:-2-:-A\n" for at in range(n)),
        3_000,
    ),
    "one-sentence": (
        "semeval",
        lambda n: "".join(f"#1 {at} run.Running a-:-2-:-A\n" for at in range(1, n)),
        3_000,
    ),
    "repeated": ("semeval", lambda n: "#1 1 run.Running\n" * n, 3_000),
    "first-position": (
        "semeval",
        lambda n: "".join(f"#1 1_{at} run.Running\n" for at in range(2, n)),
        3_000,
    ),
    "bad-lines": (
        "semeval",
        lambda n: "".join(f"#1 {at} run.Running\n" for at in range(1, n)) + "#1 x\n" * n,
        3_000,
    ),
    "bad-places": (
        "semeval",
        lambda n: "".join(
            f"#1 {at} run.Running\n#1 {at + n} run.Running a\n" for at in range(1, n)
        ),
        2_000,
    ),
    "arguments": (
        "semeval",
        lambda n: "#1 1 run.Running " + " ".join(f"a-:-{at}-:-A" for at in range(1, n)),
        5_000,
    ),
    "positions": (
        "semeval",
        lambda n: (
            "#1 1 run.Running "
            + "_".join("a" * n)
            + "-:-"
            + "_".join(str(at) for at in range(1, n))
            + "-:-A"
        ),
        5_000,
    ),
    "separators": ("semeval", lambda n: "#1 1 run.Running " + "-:-" * n, 20_000),
}
GOLD_GROUNDING: dict[str, tuple[str, str, Content, int]] = {
    "captions": (
        "phrases-jsonl",
        ".jsonl",
        lambda n: "".join(
            json.dumps(
                {
                    "image": "a.jpg",
                    "caption": "A dog runs",
                    "id": f"c{at}",
                    "phrases": [{"start": 0, "end": 2, "boxes": [[1, 1, 5, 5]]}],
                }
            )
            + "\n"
            for at in range(n)
        ),
        2_000,
    ),
    "phrases": (
        "phrases-jsonl",
        ".jsonl",
        lambda n: json.dumps(
            {
                "image": "a.jpg",
                "caption": "dog " * n,
                "phrases": [{"start": at, "end": at + 1, "boxes": []} for at in range(n)],
            }
        ),
        1_000,
    ),
    "boxes": (
        "phrases-jsonl",
        ".jsonl",
        lambda n: json.dumps(
            {
                "image": "a.jpg",
                "caption": "A dog",
                "phrases": [
                    {"start": 0, "end": 2, "boxes": [[at, 1, at + 5, 5] for at in range(n)]}
                ],
            }
        ),
        5_000,
    ),
    "coco": (
        "coco",
        ".json",
        lambda n: json.dumps(
            {
                "images": [
                    {"id": at, "file_name": f"{at}.jpg", "width": 9, "height": 9} for at in range(n)
                ],
                "annotations": [
                    {"id": at, "image_id": at % 7, "caption": "A dog runs"} for at in range(n)
                ],
            }
        ),
        2_000,
    ),
    "coco-same": (
        "coco",
        ".json",
        lambda n: json.dumps(
            {
                "images": [{"id": 1, "file_name": "a.jpg", "width": 9, "height": 9}] * n,
                "annotations": [{"id": 1, "image_id": 1, "caption": "A dog runs"}] * n,
            }
        ),
        5_000,
    ),
    "coco-instances": (
        "coco",
        ".json",
        lambda n: json.dumps(
            {
                "images": [{"id": 1, "file_name": "a.jpg", "width": 9, "height": 9}],
                "annotations": [{"id": at, "image_id": 1, "bbox": [1, 1, 2, 2]} for at in range(n)],
                "captions": [
                    {
                        "id": 1,
                        "image_id": 1,
                        "caption": "A dog",
                        "phrases": [{"start": 0, "end": 2, "ann_ids": list(range(n))}],
                    }
                ],
            }
        ),
        5_000,
    ),
    "grefcoco": (
        "grefcoco",
        ".json",
        lambda n: json.dumps(
            [
                {
                    "ref_id": at,
                    "image_id": 1,
                    "file_name": "COCO_train2014_000000000001_1.jpg",
                    "sentences": [{"sent": "A dog", "sent_id": at}],
                    "ann_id": [-1],
                    "no_target": True,
                }
                for at in range(n)
            ]
        ),
        2_000,
    ),
    "flickr30k-brackets": (
        "flickr30k",
        ".zip",
        lambda n: archive(
            {
                "Sentences/1.txt": "[/EN#a" * n,
                "Annotations/1.xml": "<annotation><filename>1.jpg</filename></annotation>",
            }
        ),
        10_000,
    ),
    "flickr30k-phrases": (
        "flickr30k",
        ".zip",
        lambda n: archive(
            {
                "Sentences/1.txt": "[/EN#1/people a dog] " * n,
                "Annotations/1.xml": "<annotation><filename>1.jpg</filename></annotation>",
            }
        ),
        3_000,
    ),
    "flickr30k-objects": (
        "flickr30k",
        ".zip",
        lambda n: archive(
            {
                "Sentences/1.txt": "[/EN#1/people a dog] runs\n",
                "Annotations/1.xml": "<annotation><filename>1.jpg</filename>"
                + "".join(
                    f"<object><name>{at}</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></object>"
                    for at in range(n)
                )
                + "</annotation>",
            }
        ),
        3_000,
    ),
    "flickr30k-chain": (
        "flickr30k",
        ".zip",
        lambda n: archive(
            {
                "Sentences/1.txt": "[/EN#1/people a dog] runs\n",
                "Annotations/1.xml": "<annotation><filename>1.jpg</filename>"
                + "".join(
                    f"<object><name>1</name><bndbox><xmin>{at}</xmin><ymin>1</ymin>"
                    f"<xmax>{at + 1}</xmax><ymax>2</ymax></bndbox></object>"
                    for at in range(n)
                )
                + "</annotation>",
            }
        ),
        3_000,
    ),
    "flickr30k-lines": (
        "flickr30k",
        ".zip",
        lambda n: archive(
            {
                "Sentences/1.txt": "[/EN#1/people a dog] runs\n" * n,
                "Annotations/1.xml": "<annotation><filename>1.jpg</filename></annotation>",
            }
        ),
        2_000,
    ),
    "flickr30k-files": (
        "flickr30k",
        ".zip",
        lambda n: archive(
            {f"Sentences/{at}.txt": "[/EN#1/people a dog] runs\n" for at in range(n)}
            | {
                f"Annotations/{at}.xml": f"<annotation><filename>{at}.jpg</filename></annotation>"
                for at in range(n)
            }
        ),
        300,
    ),
    "flickr30k-sentences": (
        "flickr30k",
        ".zip",
        lambda n: archive(
            {
                "Sentences/1.txt": "[/EN#1/people a dog] runs\n" * 900,
                "Annotations/1.xml": "<annotation><filename>1.jpg</filename>"
                + "".join(
                    f'<sentence line="{at % 900}" id="{at}" phrases="p0"/>' for at in range(n)
                )
                + "</annotation>",
            }
        ),
        3_000,
    ),
}
FRAME = '"definition": "", "elements": [], "examples": [], "units": []'


def framenet(n: int, relation: str, *, text: str = "", elements: int = 0, units: int = 0) -> bytes:
    frame = "".join(relation.format(at) for at in range(n))
    frame += "".join(f'<FE name="E{at}" coreType="Core" abbrev="e"/>' for at in range(elements))
    frame += "".join(f'<lexUnit name="a{at}.v"/>' for at in range(units))
    return archive(
        {
            "fn/frame/A.xml": f'<frame name="A"><definition>{text}</definition>{frame}</frame>',
            "fn/frame/B.xml": '<frame name="B"><definition/></frame>',
        }
    )


def verbnet(roles: int, members: str, classes: int = 1) -> bytes:
    rows = "".join(f'<THEMROLE type="R{at}"/>' for at in range(roles))
    return archive(
        {
            f"vn/c{at}.xml": (
                f'<VNCLASS ID="c-{at}"><MEMBERS>{members}</MEMBERS>'
                f"<THEMROLES>{rows}</THEMROLES></VNCLASS>"
            )
            for at in range(classes)
        }
    )


RELATION = {"type": "T", "frame": "A", "is_parent": True}
LEXICA: dict[str, tuple[str, str, Content, int]] = {
    "json-same-keys": (
        "json",
        ".json",
        lambda n: "{" + "".join(f'"a{at}": 0,' for at in range(n)) + f'"a{n - 1}": 1}}',
        16_000,
    ),
    "json-frames": (
        "json",
        ".json",
        lambda n: '{"frames": {' + ",".join(f'"F{at}": {{{FRAME}}}' for at in range(n)) + "}}",
        3_000,
    ),
    "json-relations": (
        "json",
        ".json",
        lambda n: (
            '{"frames": {"A": {"relations": ['
            + ",".join(f'{{"type": "T{at}", "frame": "A", "is_parent": true}}' for at in range(n))
            + "]}}}"
        ),
        8_000,
    ),
    "json-relations-of-frames": (
        "json",
        ".json",
        lambda n: (
            '{"frames": {"A": {}, '
            + ",".join(
                f'"F{at}": {{"relations": [{{"type": "T", "frame": "A", "is_parent": true}}]}}'
                for at in range(n)
            )
            + "}}"
        ),
        6_000,
    ),
    "json-same-relation": (
        "json",
        ".json",
        lambda n: (
            '{"frames": {"A": {}, '
            + ",".join(
                f'"F{at}": {{"relations": {json.dumps([RELATION] * 100)}}}' for at in range(n)
            )
            + "}}"
        ),
        100,
    ),
    "json-elements": (
        "json",
        ".json",
        lambda n: (
            '{"frames": {"A": {"elements": ['
            + ",".join(f'{{"name": "E{at}"}}' for at in range(n))
            + "]}}}"
        ),
        8_000,
    ),
    "json-examples": (
        "json",
        ".json",
        lambda n: '{"frames": {"A": {"examples": [' + ",".join('"a"' for at in range(n)) + "]}}}",
        8_000,
    ),
    "json-units": (
        "json",
        ".json",
        lambda n: '{"frames": {"A": {"units": [' + ",".join(f'"a{at}"' for at in range(n)) + "]}}}",
        8_000,
    ),
    "json-braces": (
        "json",
        ".json",
        lambda n: json.dumps(
            {
                "frames": {
                    f"F{at}": {
                        "definition": "{{}} " * 500 + "{E|a}" * 500,
                        "elements": [{"name": "E"}],
                    }
                    for at in range(n)
                }
            }
        ),
        60,
    ),
    "json-open-braces": (
        "json",
        ".json",
        lambda n: json.dumps({"frames": {"F": {"definition": "{a|" * n}}}),
        6_000,
    ),
    "json-verbs": (
        "json",
        ".json",
        lambda n: json.dumps(
            {"verbs": {f"v{at}": [{"class": "c", "roles": ["A"]}] for at in range(n)}}
        ),
        3_000,
    ),
    "json-extra": (
        "json",
        ".json",
        lambda n: json.dumps(
            {"frames": {"A": {}}, "extra_units": [[f"a{at}", "A", 1] for at in range(n)]}
        ),
        5_000,
    ),
    "json-deep": ("json", ".json", lambda n: '{"frames":' * n, 20_000),
    "json-wide": (
        "json",
        ".json",
        lambda n: (
            '{"frames": {"A": {"definition": ' + "[" * 300 + "1," * n + "1" + "]" * 300 + "}}}"
        ),
        20_000,
    ),
    "framenet-relations": (
        "framenet",
        ".zip",
        lambda n: framenet(
            n, '<frameRelation type="T{0}"><relatedFrame>B</relatedFrame></frameRelation>'
        ),
        8_000,
    ),
    "framenet-same-relation": (
        "framenet",
        ".zip",
        lambda n: framenet(
            n, '<frameRelation type="Uses"><relatedFrame>B</relatedFrame></frameRelation>'
        ),
        8_000,
    ),
    "framenet-elements": ("framenet", ".zip", lambda n: framenet(0, "", elements=n), 8_000),
    "framenet-units": ("framenet", ".zip", lambda n: framenet(0, "", units=n), 8_000),
    "framenet-tags": ("framenet", ".zip", lambda n: framenet(0, "", text="&lt;b&gt;x" * n), 3_000),
    "framenet-end-tags": (
        "framenet",
        ".zip",
        lambda n: framenet(0, "", text="&lt;b&gt;" * n + "x&lt;/i&gt;" * n),
        1_500,
    ),
    "framenet-comments": ("framenet", ".zip", lambda n: framenet(0, "", text="&lt;!--" * n), 4_000),
    "framenet-open-tags": ("framenet", ".zip", lambda n: framenet(0, "", text="&lt;a " * n), 5_000),
    "framenet-declarations": (
        "framenet",
        ".zip",
        lambda n: framenet(0, "", text="&lt;![" * n),
        5_000,
    ),
    "framenet-slashes": ("framenet", ".zip", lambda n: framenet(0, "", text="&lt;/" * n), 8_000),
    "framenet-attributes": (
        "framenet",
        ".zip",
        lambda n: framenet(0, "", text="&lt;a " + "a=" * n),
        8_000,
    ),
    "framenet-references": (
        "framenet",
        ".zip",
        lambda n: framenet(0, "", text="&amp;" * n),
        15_000,
    ),
    "framenet-script": (
        "framenet",
        ".zip",
        lambda n: framenet(0, "", text="&lt;script&gt;" + "&lt;/a" * n),
        5_000,
    ),
    "verbnet-members": (
        "verbnet",
        ".zip",
        lambda n: verbnet(1, "".join(f'<MEMBER name="v{at}"/>' for at in range(n))),
        4_000,
    ),
    "verbnet-same-member": (
        "verbnet",
        ".zip",
        lambda n: verbnet(40, '<MEMBER name="v"/>' * n),
        8_000,
    ),
    "verbnet-roles": ("verbnet", ".zip", lambda n: verbnet(n, '<MEMBER name="v"/>'), 8_000),
    "verbnet-classes": (
        "verbnet",
        ".zip",
        lambda n: verbnet(1, '<MEMBER name="v"/>', classes=n),
        300,
    ),
    "csv-units": (
        "csv",
        ".csv",
        lambda n: "lemma,frame,score\n" + "".join(f"a{at},A,1\n" for at in range(n)),
        8_000,
    ),
    "csv-columns": ("csv", ".csv", lambda n: "lemma," * n, 20_000),
    "csv-quotes": ("csv", ".csv", lambda n: "lemma,frame,score\n" + '"' * 2 * n + ",A,1\n", 20_000),
}


def ignore(error: FileError) -> None:
    """Ignore a bad row."""


def read_sentences(scheme: str, fmt: str, path: Path) -> None:
    corpus = get_scheme(scheme).corpus
    with open_sentences([path], corpus=corpus, fmt=fmt, options=AS_IT_IS) as files:
        for file in files.paths:
            records = corpus.read_sentences(file, files.fmt, ignore)
            for _ in within_limits(records, file=file.name, on_error=ignore):
                pass


def read_gold(scheme: str, fmt: str, path: Path) -> None:
    corpus = get_scheme(scheme).corpus
    with open_gold([path], corpus=corpus, fmt=fmt, options=AS_IT_IS) as files:
        for _ in corpus.read_gold(files.paths, files.fmt, ignore):
            pass


def read_items(scheme: str, fmt: str, path: Path) -> None:
    corpus = get_scheme(scheme).corpus
    with open_items([path], corpus=corpus) as files:
        for _ in corpus.read_items(files.paths, ignore):
            pass


def read_lexicon(scheme: str, fmt: str, path: Path) -> None:
    lexicon = get_scheme(scheme).resources["lexicon"]
    parts = ("definition", "examples", "elements", "units", "relations")
    frames = {"A": {part: [] for part in parts}}
    lexicon.parse(lexicon.formats[fmt](path, {**EMPTY, "frames": frames}))


def seconds(read: Callable[[Path], None], path: Path, content: str | bytes) -> float:
    """Return the CPU time of reading a file, which may be refused."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    start = time.process_time()
    with suppress(FileError, ContentError):
        read(path)
    return time.process_time() - start


def assert_linear(
    read: Callable[[Path], None], path: Path, make: Content, size: int, *, share: int
) -> None:
    """Assert that a file of twice the size takes at most MAX_RATIO times as long.

    The first file has the `share`-th part of the size.
    """
    largest = size * MAX_FACTOR
    size = max(1, size // share)
    while seconds(read, path, make(size)) < SECONDS and size < largest:
        size *= 2
    small, large = make(size), make(2 * size)
    ratios = []
    for _ in range(ATTEMPTS):
        first = max(seconds(read, path, small), SECONDS)
        ratios.append(seconds(read, path, large) / first)
        if ratios[-1] <= MAX_RATIO:
            return
    raise AssertionError(ratios)


@pytest.fixture(params=[4, pytest.param(1, marks=pytest.mark.long)])
def check_linear(request: pytest.FixtureRequest) -> Iterator[Callable[..., None]]:
    """Return `assert_linear`, which starts with larger files in `make test-long`."""
    gc.disable()
    yield partial(assert_linear, share=request.param)
    gc.collect(0)  # only the objects of this test, because a full collection takes longer than it
    gc.enable()


@pytest.mark.parametrize("shape", TEXTS)
def test_text_is_tokenised_in_linear_time(check_linear, tmp_path, shape):
    make, size = TEXTS[shape]
    check_linear(partial(read_sentences, "frames", "text"), tmp_path / "a.txt", make, size // 4)


@pytest.mark.parametrize("shape", TABLES)
def test_table_is_read_in_linear_time(check_linear, tmp_path, shape):
    check_linear(partial(read_sentences, "frames", "table"), tmp_path / "a.csv", *TABLES[shape])


@pytest.mark.parametrize("shape", CONLLU)
def test_treebank_is_read_in_linear_time(check_linear, tmp_path, shape):
    read = partial(read_sentences, "frames", "conllu")
    check_linear(read, tmp_path / "a.conllu", *CONLLU[shape])


@pytest.mark.parametrize("shape", GOLD_QASRL)
def test_questions_are_read_in_linear_time(check_linear, tmp_path, shape):
    fmt, make, size = GOLD_QASRL[shape]
    path = tmp_path / f"a.{'csv' if fmt == 'qasrl-csv' else 'jsonl'}"
    for read in (read_sentences, read_gold, read_items):
        if read is not read_sentences or fmt == "qasrl-bank":
            check_linear(partial(read, "qasrl", fmt), path, make, size)


@pytest.mark.parametrize("shape", GOLD_FRAMES)
def test_frames_are_read_in_linear_time(check_linear, tmp_path, shape):
    fmt, make, size = GOLD_FRAMES[shape]
    check_linear(partial(read_gold, "frames", fmt), tmp_path / "a.txt", make, size)


def test_bad_records_beside_those_of_another_file_are_read_in_linear_time(check_linear, tmp_path):
    corpus = get_scheme("frames").corpus
    other = tmp_path / "b.txt"

    def read(path: Path) -> None:
        other.write_text(path.read_text().replace("run.", "run-"))
        for _ in corpus.read_gold([path, other], "semeval", ignore):
            pass

    records = GOLD_FRAMES["records"][1]
    check_linear(read, tmp_path / "a.txt", records, 500)


@pytest.mark.parametrize("shape", GOLD_GROUNDING)
def test_captions_are_read_in_linear_time(check_linear, tmp_path, shape):
    fmt, suffix, make, size = GOLD_GROUNDING[shape]
    path = tmp_path / f"a{suffix}"
    check_linear(partial(read_gold, "grounding", fmt), path, make, size)
    if fmt in get_scheme("grounding").corpus.formats:
        check_linear(partial(read_sentences, "grounding", fmt), path, make, size)


@pytest.mark.parametrize("shape", LEXICA)
def test_lexicon_is_read_in_linear_time(check_linear, tmp_path, shape):
    fmt, suffix, make, size = LEXICA[shape]
    check_linear(partial(read_lexicon, "frames", fmt), tmp_path / f"a{suffix}", make, size)


@pytest.mark.parametrize("token", ["-" * 199, "runs", "a-" * 99, "\u0301", "'s", "1.1", ":)"])
@pytest.mark.parametrize("search", ["verbs", "nouns"])
def test_items_are_detected_in_linear_time(check_linear, tmp_path, token, search):
    find = get_scheme("qasrl").corpus.search_of(search)
    find("a", ItemContext(("He", "runs")))  # loads the tagger

    def read(path: Path) -> None:
        find("a", ItemContext(tuple(path.read_text().split())))

    check_linear(read, tmp_path / "a.txt", lambda n: f"{token} " * n, 10)
