"""Gold as the files of SemEval-2019 Task 2, and as full-text annotation of FrameNet.

A set of the task has the records of the tasks A, B.1 and B.2, each with a blind copy, the annotators'
confidence, and the sentences in CoNLL-U. Skipped records are left out. B.1 has the arguments with a
frame element, and B.2 those with a role. In blind copies, verbs have `unkn`, and arguments their
grammatical relation to the verb, or `unkn` if the corpus has none. The baselines 1CPG and 1CPHG read
these copies.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from schemes.contract.files import Exports, FileSet
from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.frames.corpus import SEMEVAL
from schemes.frames.fulltext import FRAMENET, is_annotated, write_framenet
from schemes.frames.joined_records import BLIND, NO_FRAME
from schemes.frames.records import SEPARATOR
from schemes.frames.relations import relation_to_verb

TASK_A, TASK_B1, TASK_B2 = "task-a.txt", "task-b1.txt", "task-b2.txt"
CONFIDENCE, SENTENCES = "confidence.txt", "conllu"


def blind(ending: str) -> str:
    return ending.replace(".txt", ".blind.txt")


ENDINGS = (
    *(name for task in (TASK_A, TASK_B1, TASK_B2) for name in (task, blind(task))),
    CONFIDENCE,
    SENTENCES,
)


def write_semeval(rows: Iterable[ExportRow], paths: Mapping[str, Path]) -> dict[str, int]:
    """Write the files of a set, and return how many records or sentences each has."""
    counts: Counter[str] = Counter(dict.fromkeys(ENDINGS, 0))
    last, document = None, ""
    with ExitStack() as stack:
        files = {
            ending: stack.enter_context(paths[ending].open("w", encoding="utf-8", newline="\n"))
            for ending in ENDINGS
        }

        def add(ending: str, line: str) -> None:
            files[ending].write(line + "\n")
            counts[ending] += 1

        for row in rows:
            if row.external_id != last:
                last = row.external_id
                if row.document != document:
                    document = row.document
                    files[SENTENCES].write(f"# newdoc{document and f' id = {document}'}\n")
                add(SENTENCES, _conllu(row))
            for ending, line in _lines(row):
                add(ending, line)
    return dict(counts)


def _lines(row: ExportRow) -> Iterator[tuple[str, str]]:
    """Yield the lines of a record with the ending of their file."""
    content = row.content
    if content.get("skip") or not content.get("verb"):
        return
    context = ItemContext(row.tokens, row.target, metadata=row.metadata)
    sentence = row.target.get("sentence") or f"#{row.external_id}"
    start = f"{sentence} {_positions(content['verb'])} "
    lemma, frame = content["lemma"], content["frame"]
    if frame:
        yield TASK_A, f"{start}{lemma}.{frame}"
        yield blind(TASK_A), f"{start}{lemma}.{BLIND}"
    for ending, field, verb in ((TASK_B1, "element", frame), (TASK_B2, "role", NO_FRAME)):
        arguments = [argument for argument in content["arguments"] if argument[field]]
        if not arguments or not verb:
            continue
        label: Callable[[Json], str] = lambda argument, field=field: argument[field]  # type: ignore[misc] # noqa: E731
        relation: Callable[[Json], str] = lambda argument: (  # noqa: E731
            relation_to_verb(argument["head"], content["verb"], context) or BLIND
        )
        yield ending, f"{start}{lemma}.{verb} {_arguments(arguments, label)}"
        yield blind(ending), f"{start}{lemma}.{BLIND} {_arguments(arguments, relation)}"
    if content.get("confidence") is not None:
        yield CONFIDENCE, f"{start}{content['confidence']}"


def _arguments(arguments: Sequence[Json], label: Callable[[Json], str]) -> str:
    return " ".join(
        SEPARATOR.join((argument["filler"], _positions(argument["head"]), label(argument)))
        for argument in arguments
    )


def _positions(tokens: Sequence[int]) -> str:
    return "_".join(str(at + 1) for at in tokens)


def _conllu(row: ExportRow) -> str:
    """Return the sentence with the columns that the corpus has."""
    count = len(row.tokens)
    unknown = ["_"] * count
    lemmas, upos, deprels = (
        row.metadata.get(name, unknown) for name in ("lemmas", "upos", "deprels")
    )
    heads = [str(head + 1) for head in row.metadata.get("heads", [])] or unknown
    deps = [_dependencies(arcs) for arcs in row.metadata.get("deps", [])] or unknown
    lines = [f"# sent_id = {row.external_id}"]
    if row.text:
        lines.append(f"# text = {' '.join(row.text.splitlines())}")
    written, misc = _written_words(row)
    columns = zip(row.tokens, lemmas, upos, heads, deprels, deps, misc, strict=True)
    for number, (token, lemma, tag, head, relation, arcs, note) in enumerate(columns, start=1):
        if number in written:
            lines.append(written[number])
        lines.append(
            "\t".join((str(number), token, lemma, tag, "_", "_", head, relation, arcs, note))
        )
    return "\n".join(lines) + "\n"


def _dependencies(arcs: Iterable[Sequence[Any]]) -> str:
    """Return the column DEPS of a word."""
    return "|".join(f"{governor + 1}:{relation}" for governor, relation in arcs) or "_"


def _written_words(row: ExportRow) -> tuple[dict[int, str], list[str]]:
    """Return the lines of written words of several words by their first word, and the column MISC."""
    misc = ["_"] * len(row.tokens)
    written: dict[int, str] = {}
    groups = [list(group) for _, group in groupby(range(len(row.offsets)), row.offsets.__getitem__)]
    for words, after in pairwise([*groups, []]):
        first, last = words[0], words[-1]
        start, end = row.offsets[first]
        touches = bool(after) and row.offsets[after[0]][0] == end
        note = "SpaceAfter=No" if touches else "_"
        if len(words) == 1:
            misc[first] = note
            continue
        columns = (f"{first + 1}-{last + 1}", row.text[start:end], *["_"] * 7, note)
        written[first + 1] = "\t".join(columns)
    return written, misc


class FramesExports(Exports):
    """The files of SemEval-2019 Task 2 and of FrameNet."""

    with_metadata = (SEMEVAL, FRAMENET)
    file_sets = {SEMEVAL: FileSet(ENDINGS, write_semeval, sentences=SENTENCES)}
    folders = {FRAMENET: write_framenet}
    with_judgments = ("jsonl",)

    def left_out(self, content: Json, fmt: str) -> int:
        """Return how many arguments have no element of a frame, which alone is in FrameNet's XML."""
        if fmt != FRAMENET:
            return 0
        arguments = content.get("arguments", ())
        return sum(not (is_annotated(content) and argument["element"]) for argument in arguments)


EXPORTS = FramesExports()
