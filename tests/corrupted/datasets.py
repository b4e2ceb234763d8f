"""The files of each format, and the corpora that they belong to."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from csv import reader, writer
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from schemes.contract.records import ExportRow, SentenceRecord
from schemes.contract.values import Json
from schemes.custom.exports import CustomExports
from schemes.custom.form import Form
from schemes.grounding.scheme import SCHEME as GROUNDING
from schemes.qasrl.published_csv import sentence_file
from schemes.qasrl.reading import verb_phrase_of
from schemes.qasrl.scheme import SCHEME as QASRL
from schemes.qasrl.slots import Slots
from tests.corrupted.captions import caption_rows
from tests.corrupted.sentences import qasrl_rows
from tests.corrupted.treebank import RECORDS, conllu_text
from tests.schemes.custom.sample_corpus import STARTER, sample_rows
from tests.schemes.custom.samples import starter
from tests.schemes.workbooks import workbook_bytes

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Dataset:
    """Files of a format that are imported as a corpus, as its items, or as its gold.

    `shape` chooses the changes. `base` is imported before, without changes. Files are packed into an
    archive, or put into a folder, before they are read, if `container` says so.
    """

    name: str
    scheme: str
    kind: str
    fmt: str
    shape: str
    files: Files
    base: "Dataset | None" = None
    container: str = ""

    def __str__(self) -> str:
        return self.name


def _written(rows: Iterable[ExportRow], write: Callable[[Path], object], name: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()


def _sentences(rows: list[ExportRow]) -> bytes:
    def write(path: Path) -> None:
        with sentence_file(path) as add:
            for external_id, row in {row.external_id: row for row in rows}.items():
                add(SentenceRecord(external_id, row.tokens, 0, text=row.text))

    return _written(rows, write, "sentences.csv")


def _table(rows: list[ExportRow]) -> bytes:
    """Return the sentences as a table with their texts and tokens.

    No document or position is stated, because nobody could notice its change.
    """
    out = io.StringIO(newline="")
    table = writer(out, lineterminator="\n")
    table.writerow(("id", "text", "tokens", "document"))
    for row in {row.external_id: row for row in rows}.values():
        table.writerow((row.external_id, row.text, " ".join(row.tokens), ""))
    return out.getvalue().encode()


def _gold(rows: list[ExportRow], fmt: str, name: str) -> bytes:
    return _written(rows, lambda path: QASRL.exports.write(rows, path, fmt), name)


def _by_sentence(rows: list[ExportRow]) -> dict[str, list[ExportRow]]:
    grouped: dict[str, list[ExportRow]] = {}
    for row in rows:
        grouped.setdefault(row.external_id, []).append(row)
    return grouped


def _lines(entries: Iterable[Json]) -> bytes:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries).encode()


def _allennlp(rows: list[ExportRow]) -> bytes:
    """Return the rows in the layout of AllenNLP's predictors, with inclusive ends."""

    def span(start: int, end: int, row: ExportRow) -> Json:
        return {"start": start, "end": end - 1, "text": " ".join(row.tokens[start:end])}

    def verb(row: ExportRow) -> Json:
        at = row.target["verb_idx"]
        pairs = [
            {
                "question": question["question"],
                "spans": [span(*answer, row) for answer in question["answers"]],
            }
            for question in row.content["questions"]
        ]
        return {"verb": row.tokens[at], "index": at, "qa_pairs": pairs}

    return _lines(
        {"sentenceId": name, "words": group[0].tokens, "verbs": list(map(verb, group))}
        for name, group in _by_sentence(rows).items()
    )


def _beam(rows: list[ExportRow]) -> bytes:
    """Return the rows in the layout of the parsers of the QA-SRL Bank."""

    def question(parsed: Json) -> Json:
        slots = Slots(**parsed["slots"])
        negation = "not " if "not" in slots.verb_prefix.split("~!~") else ""
        verb = negation + verb_phrase_of(slots).verb_shape
        names = ("wh", "aux", "subj", "verb", "obj", "prep", "obj2")
        texts = {**slots.by_name(), "verb": verb}
        return {
            "questionSlots": {name: texts[name] or "_" for name in names},
            "questionProb": 0.9,
            "answerSpans": [{"span": answer, "spanProb": 0.9} for answer in parsed["answers"]],
        }

    def verb(row: ExportRow) -> Json:
        return {
            "verbIndex": row.target["verb_idx"],
            "verbInflectedForms": row.target["forms"],
            "questions": list(map(question, row.content["questions"])),
        }

    return _lines(
        {"sentenceId": name, "sentenceTokens": group[0].tokens, "verbs": list(map(verb, group))}
        for name, group in _by_sentence(rows).items()
    )


def _qasem(rows: list[ExportRow]) -> bytes:
    """Return the rows in the layout of QASem, where answers are texts."""

    def verb(row: ExportRow) -> Json:
        at = row.target["verb_idx"]
        pairs = [
            {
                "question": question["question"].lower().replace("?", " ?"),
                "answers": [" ".join(row.tokens[start:end]) for start, end in question["answers"]],
            }
            for question in row.content["questions"]
        ]
        return {"predicate_idx": at, "predicate": row.tokens[at], "QAs": pairs}

    return _lines(
        {
            "sentenceId": name,
            "sentence": " ".join(group[0].tokens),
            "tokens": group[0].tokens,
            "qasrl": list(map(verb, group)),
        }
        for name, group in _by_sentence(rows).items()
    )


def _grounding(fmt: str, name: str) -> Files:
    rows = caption_rows()
    return {name: _written(rows, lambda path: GROUNDING.exports.write(rows, path, fmt), name)}


def _grefcoco() -> Files:
    with TemporaryDirectory() as folder:
        names = ("grefs.json", "instances.json")
        paths = {name: Path(folder, name) for name in names}
        GROUNDING.exports.file_sets["grefcoco"].write(caption_rows(), paths)
        return {name: path.read_bytes() for name, path in paths.items()}


def _flickr30k() -> Files:
    with TemporaryDirectory() as name:
        folder = Path(name)
        GROUNDING.exports.folders["flickr30k"](caption_rows(), folder)
        return {
            str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.*"))
        }


def packed(files: Files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def make_datasets() -> list[Dataset]:
    """Return the data sets of all schemes."""
    return [
        *_qasrl_datasets(),
        *_frames_datasets(),
        *_grounding_datasets(),
        *_custom_datasets(),
    ]


def _qasrl_datasets() -> list[Dataset]:
    verbs, nouns = qasrl_rows(), qasrl_rows(nouns=True)
    plain = [replace(row, text="") for row in verbs]
    corpus = Dataset(
        "qasrl-csv", "qasrl", "corpus", "qasrl-csv", "csv", {"s.csv": _sentences(verbs)}
    )
    csv, noun_csv = _gold(verbs, "qasrl-csv", "g.csv"), _gold(nouns, "qanom-csv", "n.csv")
    bank = gzip.decompress(_gold(plain, "qasrl-bank", "b.jsonl.gz"))
    nouns_of = Dataset("", "qasrl", "corpus", "qasrl-csv", "csv", {"s.csv": _sentences(nouns)})

    def items(name: str, shape: str, files: Files, of: Dataset = corpus) -> Dataset:
        return Dataset(name, "qasrl", "items", "qasrl-csv", shape, files, of)

    with_items = replace(corpus, kind="items", base=replace(corpus), files={"g.csv": csv})
    with_nouns = items("", "csv", {"n.csv": noun_csv}, nouns_of)

    def gold(name: str, fmt: str, shape: str, files: Files, of: Dataset = with_items) -> Dataset:
        return Dataset(name, "qasrl", "gold", fmt, shape, files, of)

    tables = [
        replace(gold(f"gold-{name}", "qasrl-csv", "cells", {"g.csv": csv}), container=name)
        for name in ("table.tsv", "table.xlsx", "table.json", "table.jsonl")
    ]
    table = list(reader(io.StringIO(csv.decode(), newline="")))
    workbook = {"g.xlsx": workbook_bytes(table[0], table[1:])}
    conllu = {"s.conllu": conllu_text().encode()}
    text = "".join(f"{row[0].text}\n" for row in _by_sentence(verbs).values()).encode()
    return [
        corpus,
        Dataset("qasrl-table", "qasrl", "corpus", "table", "csv", {"s.csv": _table(verbs)}),
        Dataset("qasrl-bank", "qasrl", "corpus", "qasrl-bank", "parses", {"b.jsonl": bank}),
        Dataset("conllu-verbs", "qasrl", "corpus", "conllu", "conllu", conllu),
        Dataset("text", "qasrl", "corpus", "text", "text", {"t.txt": text}),
        items("items-csv", "csv", {"g.csv": csv}),
        items("items-noun-csv", "csv", {"n.csv": noun_csv}, nouns_of),
        items("items-bank", "parses", {"b.jsonl": bank}),
        gold("gold-csv", "qasrl-csv", "csv", {"g.csv": csv}),
        *tables,
        gold("gold-xlsx", "qasrl-csv", "packed", workbook),
        gold("gold-noun-csv", "qasrl-csv", "csv", {"n.csv": noun_csv}, with_nouns),
        gold("gold-bank", "qasrl-bank", "parses", {"b.jsonl": bank}),
        gold("gold-bank-gz", "qasrl-bank", "packed", {"b.jsonl.gz": gzip.compress(bank)}),
        gold("gold-allennlp", "qasrl-parser", "parses", {"p.jsonl": _allennlp(verbs)}),
        gold("gold-beam", "qasrl-parser", "parses", {"p.jsonl": _beam(verbs)}),
        gold("gold-qasem", "qasrl-parser", "parses", {"p.jsonl": _qasem(verbs)}),
    ]


def _frames_datasets() -> list[Dataset]:
    conllu = Dataset(
        "conllu", "frames", "corpus", "conllu", "conllu", {"s.conllu": conllu_text().encode()}
    )
    records = {name: text.encode() for name, text in RECORDS.items()}
    items = Dataset("items-semeval", "frames", "items", "conllu", "records", records, conllu)
    gold = Dataset("gold-semeval", "frames", "gold", "semeval", "records", records, items)
    return [conllu, items, gold]


def _grounding_datasets() -> list[Dataset]:
    phrases = _grounding("phrases-jsonl", "c.jsonl")
    coco, grefcoco, flickr = _grounding("coco", "c.json"), _grefcoco(), _flickr30k()

    def corpus(name: str, fmt: str, shape: str, files: Files, container: str = "") -> Dataset:
        return Dataset(name, "grounding", "corpus", fmt, shape, files, None, container)

    refs = {"grefs.json": grefcoco["grefs.json"]}
    corpora = [
        corpus("captions-jsonl", "captions-jsonl", "captions", phrases),
        corpus("captions-jsonl-images", "captions-jsonl-images", "captions", phrases),
        corpus("coco", "coco", "coco", coco),
        corpus("coco-images", "coco-images", "coco", coco),
        corpus("grefcoco", "grefcoco", "coco", refs),
        corpus("flickr30k", "flickr30k", "members", flickr, "folder"),
        corpus("flickr30k-zip", "flickr30k", "packed", {"f.zip": packed(flickr)}),
        corpus("flickr30k-images", "flickr30k-images", "members", flickr, "zip"),
    ]
    plain, joined = corpora[0], corpora[1]

    def gold(name: str, shape: str, files: Files, container: str = "") -> Dataset:
        fmt = name.removeprefix("gold-").removesuffix("-zip").replace("phrases", "phrases-jsonl")
        of = joined if fmt.endswith("-images") else plain
        return Dataset(name, "grounding", "gold", fmt, shape, files, of, container)

    return [
        *corpora,
        Dataset(
            "items-captions", "grounding", "items", "captions-jsonl", "captions", phrases, plain
        ),
        gold("gold-phrases", "captions", phrases),
        gold("gold-phrases-images", "captions", phrases),
        gold("gold-coco", "coco", coco),
        gold("gold-grefcoco", "coco", grefcoco),
        gold("gold-flickr30k", "members", flickr, "folder"),
        gold("gold-flickr30k-zip", "packed", {"f.zip": packed(flickr)}),
        gold("gold-flickr30k-images", "members", flickr, "zip"),
    ]


def _custom_datasets() -> list[Dataset]:
    rows, exports = sample_rows(8), CustomExports(Form(starter(STARTER)))

    def written(fmt: str, name: str) -> Files:
        return {name: _written(rows, lambda path: exports.write(rows, path, fmt), name)}

    def brat() -> Files:
        with TemporaryDirectory() as name:
            folder = Path(name)
            exports.folders["brat"](rows, folder)
            return {path.name: path.read_bytes() for path in sorted(folder.glob("*.*"))}

    def corpus(name: str, fmt: str, shape: str, files: Files, container: str = "") -> Dataset:
        return Dataset(f"custom-{name}", "custom", "corpus", fmt, shape, files, None, container)

    lines, table = written("custom-jsonl", "c.jsonl"), written("custom-csv", "c.csv")
    tasks, tokens = written("label-studio", "t.json"), written("conllu", "c.conllu")
    text = {"t.txt": "".join(f"{row.text}\n" for row in rows).encode()}
    corpora = [
        corpus("lines", "custom-jsonl", "texts", lines),
        corpus("table", "table", "csv", table),
        corpus("tasks", "label-studio", "tasks", tasks),
        corpus("conllu", "conllu", "conllu", tokens),
        corpus("brat", "brat", "members", brat(), "folder"),
        corpus("text", "text", "text", text),
    ]

    def gold(name: str, fmt: str, shape: str, files: Files, container: str = "") -> Dataset:
        of = next(base for base in corpora if base.name == "custom-lines")
        return Dataset(f"gold-custom-{name}", "custom", "gold", fmt, shape, files, of, container)

    ids = {"i.csv": "".join(["id\n", *(f"{row.external_id}\n" for row in rows)]).encode()}
    return [
        *corpora,
        Dataset("items-custom", "custom", "items", "custom-jsonl", "ids", ids, corpora[0]),
        gold("lines", "custom-jsonl", "texts", lines),
        gold("table", "custom-csv", "csv", table),
        *(
            gold(f"table.{end}", "custom-csv", "cells", table, f"table.{end}")
            for end in ("tsv", "xlsx")
        ),
        gold("tasks", "label-studio", "tasks", tasks),
        gold("bio", "conll-bio", "tags", written("conll-bio", "c.conll")),
        gold("iobes", "conll-iobes", "tags", written("conll-iobes", "c.conll")),
        gold("conllu", "conllu", "conllu", tokens),
        gold("brat", "brat", "members", brat(), "folder"),
        gold("brat-zip", "brat", "packed", {"b.zip": packed(brat())}),
    ]
