"""Reference records of SemEval-2019 Task 2, counted: a folder or zip archive of their files.

Their frames of verbs and roles of elements count in suggestions. The sentences are not kept.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.values import Json
from schemes.frames.joined_records import JoinedRecord, read_joined
from schemes.frames.lexicon.value import EMPTY, MAX_COUNTS, MAX_NAME
from schemes.xml_files import xml_files

# The characters of a file's name that are kept. Disks allow 255 bytes.
MAX_FILE_NAME = 60


def read_reference(path: Path, current: Json | None) -> Json:
    """Return the lexicon with the counts of the records in place of earlier ones.

    Raise FileError, also for the first bad line.
    """
    frames: Counter[tuple[str, str]] = Counter()
    roles: Counter[tuple[str, str, str]] = Counter()
    for record in _records(path, _refuse):
        if not record.frame:
            continue
        frames[record.lemma.lower(), record.frame] += 1
        for argument in record.arguments:
            if argument.element and argument.role:
                roles[record.frame, argument.element, argument.role] += 1
    if not frames:
        raise FileError(path.name, None, "has no record with a frame (the files of task A or B.1).")
    for counts in (frames, roles):
        if len(counts) > MAX_COUNTS:
            raise FileError(path.name, None, f"has more than {MAX_COUNTS:,} different labels.")
        if any(len(name) > MAX_NAME for names in counts for name in names):
            raise FileError(path.name, None, f"has a name of more than {MAX_NAME} characters.")
    return {
        **(current or EMPTY),
        "verb_frames": [[*names, count] for names, count in sorted(frames.items())],
        "element_roles": [[*names, count] for names, count in sorted(roles.items())],
    }


def _refuse(error: FileError) -> None:
    raise error


def _records(path: Path, on_error: ErrorSink) -> Iterator[JoinedRecord]:
    """Yield the records of all text files in the folder or archive. Raise FileError."""
    with xml_files(path, (".txt",)) as files, TemporaryDirectory(prefix="records-") as folder:
        copies = []
        for number, file in enumerate(files):
            copies.append(Path(folder, str(number), file.path.name[-MAX_FILE_NAME:]))
            copies[-1].parent.mkdir()
            copies[-1].write_text("\n".join(file.lines()), "utf-8")
        if not copies:
            raise FileError(path.name, None, "has no text files (.txt); is this a release?")
        yield from read_joined(copies, on_error=on_error)
