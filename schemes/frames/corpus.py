"""Sentences, items and gold of the frames scheme.

Items are verbs. A target is `{"verb": positions, "lemma", "fillers"}`, with zero-based positions.
`fillers` names the heads that the record files name, by their positions in the files. The local key
is the position of the verb's first token, from 1.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from schemes.conllu_files import read_conllu
from schemes.contract.corpus import Corpus
from schemes.contract.errors import ContentError, ErrorSink, FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import GoldRecord, ItemRecord, SentenceRecord, Stated, StatedWords
from schemes.contract.values import Json
from schemes.english.predicates import find_predicates_and_particles
from schemes.english.tagged_verbs import tagged_verbs
from schemes.english.verbs import verb_forms
from schemes.frames.content import MAX_HEAD, MAX_NAME
from schemes.frames.joined_records import JoinedRecord, read_joined
from schemes.frames.records import Positions, joined
from schemes.frames.relations import enhanced_arcs
from schemes.layouts import Layout, LayoutKind
from schemes.original_text import excerpt
from schemes.plain_text import read_text
from schemes.table_sentences import LAYOUT, TABLE, read_table

SEMEVAL = "semeval"
# The relation of a verb's particle in Universal Dependencies, and in older files.
PARTICLES = frozenset({"compound:prt", "prt"})
# How far a particle may be from its verb, in tokens.
_AROUND = 3


def columns_of_words(words: Sequence[Json]) -> Json:
    """Return the lemmas, tags and dependencies of a sentence, one entry per token.

    Heads are zero-based, and -1 is the root. `deps` has the enhanced dependencies of each token as
    pairs of a head and a relation. Columns without any value are left out. If the tags
    are not those of Universal Dependencies, `verbs` has the positions of the verbs, or None if only the
    tagger can find them.
    """
    columns: dict[str, list[Any]] = {
        "lemmas": [str(word.get("lemma") or "_") for word in words],
        "upos": [str(word.get("upos") or "_") for word in words],
        "deprels": [str(word.get("deprel") or "_") for word in words],
    }
    kept: Json = {name: values for name, values in columns.items() if set(values) != {"_"}}
    if "deprels" in kept:
        kept["heads"] = [(word.get("head") or 0) - 1 for word in words]
    deps = [enhanced_arcs(word.get("deps"), words=len(words)) for word in words]
    if any(deps):
        kept["deps"] = [[list(arc) for arc in arcs] for arcs in deps]
    verbs = tagged_verbs(words)
    if verbs != _verbs_of_upos(kept):
        kept["verbs"] = verbs
    return kept


def _overlap(record: JoinedRecord) -> str:
    """Return a sentence about words that belong to two parts of a record, or ""."""
    owner = dict.fromkeys(record.positions, "the verb")
    for argument in record.arguments:
        name = f"the argument at {joined(argument.positions)}"
        for at in argument.positions:
            if at in owner:
                return f"{record.name}: {name} has word {at}, which also belongs to {owner[at]}."
            owner[at] = name
    return ""


def marked(target: Json) -> list[int]:
    return [at for at in target.get("verb", []) if isinstance(at, int) and at >= 0]


def _item(record: JoinedRecord) -> ItemRecord:
    target: Json = {"verb": _zero_based(record.positions), "lemma": record.lemma}
    if record.arguments:
        target["fillers"] = {
            joined(argument.positions): argument.filler for argument in record.arguments
        }
    external_id = record.sentence.removeprefix("#")
    if record.sentence == external_id:
        target["sentence"] = record.sentence  # files write it without "#"
    key, stated = str(record.positions[0]), Stated(words=tuple(_stated_words(record)))
    return ItemRecord(external_id, key, target, record.line, record.file, stated)


def _stated_words(record: JoinedRecord) -> Iterator[StatedWords]:
    parts = [("verb", record.lemma, record.positions)]
    parts += [("argument", argument.filler, argument.positions) for argument in record.arguments]
    for name, text, positions in parts:
        at, place = tuple(_zero_based(positions)), joined(positions)
        yield StatedWords(name, at, text, is_lemma=True, line=record.line, place=place)


def _zero_based(positions: Positions) -> list[int]:
    return [at - 1 for at in positions]


def _verbs_of_upos(metadata: Json) -> list[int] | None:
    tags = metadata.get("upos")
    return [at for at, tag in enumerate(tags) if tag == "VERB"] if tags else None


def _with_particles(positions: Sequence[int], metadata: Json) -> list[list[int]]:
    verbs = {at: [at] for at in positions}
    heads = metadata.get("heads", [])
    for at, relation in enumerate(metadata.get("deprels", [])):
        if relation.lower() in PARTICLES and heads[at] in verbs:
            verbs[heads[at]].append(at)
    return [sorted(verb) for verb in verbs.values()]


def _lemma(verb: Iterable[int], tokens: Sequence[str]) -> str:
    first, *particles = (tokens[at] for at in verb)
    return "_".join(_word(word) for word in (verb_forms(first).stem, *particles))


def _word(text: str) -> str:
    return "_".join(text.lower().split())


class FramesCorpus(Corpus):
    """Sentences in CoNLL-U, plain text and tables, and records in the files of SemEval-2019 Task 2."""

    formats = {
        "conllu": [".conllu", ".conllup", ".conll"],
        "text": [".txt"],
        TABLE: [".csv", ".tsv", ".xlsx"],
    }
    gold_formats = (SEMEVAL,)
    layouts = {
        "conllu": Layout(LayoutKind.CONLLU),
        "text": Layout(LayoutKind.TEXT),
        TABLE: LAYOUT,
    }
    gold_layouts = {SEMEVAL: Layout(LayoutKind.OTHER)}

    def read_sentences(self, path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
        """Yield the sentences of a file in CoNLL-U, plain text or a table. Raise FileError."""
        if fmt == "conllu":
            return read_conllu(path, on_error=on_error, metadata=columns_of_words)
        if fmt == "text":
            return read_text(path, on_error=on_error)
        if fmt == TABLE:
            return read_table(path, on_error=on_error)
        message = f"{fmt!r} is not a format of sentences. Known formats: {', '.join(self.formats)}."
        raise FileError(path.name, None, message)

    def read_items(self, paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
        """Yield the verbs of record files, joined over the files."""
        return map(_item, read_joined(paths, on_error=on_error))

    def read_gold(
        self, paths: Sequence[Path], fmt: str, on_error: ErrorSink, **options: Any
    ) -> Iterator[GoldRecord]:
        """Yield the records of files for the tasks A, B.1 and B.2, joined over the files."""
        if fmt != SEMEVAL:
            raise FileError(paths[0].name, None, f"{fmt!r} is not a format of records ({SEMEVAL}).")
        for record in read_joined(paths, on_error=on_error, problem_of=_overlap):
            labelled = [argument for argument in record.arguments if argument.places]
            arguments = [
                {
                    "head": _zero_based(argument.positions),
                    "filler": argument.filler,
                    "element": argument.element,
                    "role": argument.role,
                }
                for argument in labelled
            ]
            places = {
                f"arguments[{at}].{name}": place
                for at, argument in enumerate(labelled)
                for name, place in argument.places.items()
            }
            if record.frame_place:
                places["frame"] = record.frame_place
            content = {
                "skip": "",
                "verb": _zero_based(record.positions),
                "lemma": record.lemma,
                "frame": record.frame,
                "arguments": arguments,
                "confidence": record.confidence,
            }
            neighbours = tuple(
                (sentence.removeprefix("#"), str(verb[0])) for sentence, verb in record.counterparts
            )
            provenance: list[Json] = [{} for _ in arguments]
            item = _item(record)
            yield GoldRecord(item, content, provenance, record.line, neighbours, places=places)

    def find_items(self, external_id: str, context: ItemContext) -> list[ItemRecord]:
        """Return every verb of the sentence with its particles.

        The tags and dependencies of the file count if there are known tags, else those of the tagger.
        """
        metadata = context.metadata
        positions = metadata["verbs"] if "verbs" in metadata else _verbs_of_upos(metadata)
        if positions is None:
            verbs = find_predicates_and_particles(context.tokens)
        else:
            verbs = _with_particles(positions, metadata)
        lemmas = metadata.get("lemmas")
        items = []
        for verb in verbs:
            target: Json = {"verb": verb}
            if lemmas and lemmas[verb[0]] != "_":
                target["lemma"] = "_".join(_word(str(lemmas[at])) for at in verb)
            items.append(ItemRecord(external_id, str(verb[0] + 1), target))
        return items

    def complete_item(self, item: ItemRecord, context: ItemContext) -> ItemRecord:
        """Check the verb's positions, and add its lemma if it is missing. Raise ContentError."""
        verb = item.target.get("verb") or []
        for at in verb:
            if type(at) is not int or not 0 <= at < len(context.tokens):
                message = f"token {at + 1} does not exist; the sentence has {len(context.tokens)}."
                raise ContentError("verb", message)
        if not verb:
            raise ContentError("verb", "has no positions.")
        if len(verb) > MAX_HEAD:
            raise ContentError("verb", f"has more than {MAX_HEAD} words.")
        lemma = item.target.get("lemma") or _lemma(verb, context.tokens)
        if len(lemma) > MAX_NAME:
            raise ContentError("lemma", f"has more than {MAX_NAME} characters.")
        target = {"verb": list(verb), "lemma": lemma}
        if fillers := item.target.get("fillers"):
            last = max(int(at) for positions in fillers for at in positions.split("_"))
            if last > len(context.tokens):
                message = f"token {last} does not exist; the sentence has {len(context.tokens)}."
                raise ContentError("argument", message)
            target["fillers"] = fillers
        if name := item.target.get("sentence"):
            target["sentence"] = name
        return ItemRecord(item.external_id, item.local_key, target, item.line)

    def headline(self, context: ItemContext) -> str:
        """Return the verb in brackets with the words around it."""
        return excerpt(context.shown_tokens(), marked=context.target["verb"], around=_AROUND)

    def order(self, target: Json) -> int:
        return next(iter(marked(target)), 0)


CORPUS = FramesCorpus()
