"""Changes that corrupt files: shifted, cut off, swapped, garbled, repeated and reordered.

What no file states twice is left alone, because nobody can notice its change. Comments give these
reasons. A change returns None if it doesn't apply to the files.
"""

import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

Data = Callable[[bytes, random.Random], bytes | None]
Table = list[list[str]]


# --- bytes of any file


def cut_off(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def cut_within_line(data: bytes, rng: random.Random, *, before: bytes = b"") -> bytes | None:
    """Cut a line before the last `before`, because the end of a line may be a shorter last value.

    A file that ends with a whole line may be complete.
    """
    lines = data.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    end = lines[at].rfind(before) if before else len(lines[at].rstrip(b"\r\n")) - 1
    return b"".join(lines[:at]) + lines[at][: rng.randrange(1, end)] if end > 1 else None


def cut_within_row(data: bytes, rng: random.Random) -> bytes | None:
    """Cut a line of a CSV file, but not within its last cell, which may be a shorter value."""
    cut = cut_within_line(data, rng, before=b",")
    if cut is None:
        return None
    try:
        lines = io.StringIO(cut.decode(errors="replace"), newline="")
        rows = list(csv.reader(lines, strict=True))
    except csv.Error:
        return cut  # within quotes
    return None if len(rows) > 1 and len(rows[-1]) == len(rows[0]) else cut


def flip_bytes(data: bytes, rng: random.Random) -> bytes:
    """Flip one byte or several ones after the first line.

    A changed name of a column would hide what other changes are compared with.
    """
    changed = bytearray(data)
    count = rng.choice((1, 1, 2, 5))
    start = 0 if count == 1 else data.find(b"\n", 0, -1) + 1
    for _ in range(count):
        at = rng.randrange(start, len(changed))
        changed[at] = rng.choice((changed[at] ^ (1 << rng.randrange(8)), rng.randrange(256)))
    return bytes(changed)


def insert_nul(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + b"\0" + data[at:]


def encode_otherwise(data: bytes, rng: random.Random) -> bytes | None:
    """Encode the text otherwise, unless only question marks show it, as in `drop_other_letters`."""
    text = data.decode()
    codec = rng.choice(("cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"))
    encoded = text.encode(codec, errors="replace")
    return None if encoded.isascii() and encoded != data else encoded


def garble(data: bytes, rng: random.Random) -> bytes:
    """Decode as another encoding than that of the text, and encode again."""
    codec = rng.choice(("latin-1", "cp1252", "mac-roman"))
    return data.decode(codec, errors="replace").encode()


def drop_other_letters(data: bytes, rng: random.Random) -> bytes:
    return data.decode().encode("ascii", errors=rng.choice(("ignore", "replace")))


def end_lines_otherwise(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\r", b"\x0b", "\u2028".encode())))


# --- lines


def repeat_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    start = rng.randrange(len(lines))
    end = min(len(lines), start + rng.randint(1, 4))
    at = rng.choice((end, len(lines)))
    return b"".join([*lines[:at], *lines[start:end], *lines[at:]])


def reorder_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    if rng.random() < 0.5:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        rng.shuffle(lines)
    return b"".join(lines)


def join_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines()
    at = rng.randrange(len(lines))
    joined = b"\n".join(lines[: at + 1]) + rng.choice((b"", b" ", b"\t"))
    return joined + b"\n".join(lines[at + 1 :]) + b"\n"


def break_line(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.choice((b"\n", b"\r\n", b"\n\n")) + data[at:]


def change_blanks(data: bytes, rng: random.Random) -> bytes:
    pair = rng.choice(((b"\t", b" "), (b" ", b"\t"), (b" ", b"  "), (b" ", "\u00a0".encode())))
    return data.replace(*pair)


# --- quotes


def remove_quotes(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b'"', b"")


def unbalance_quotes(data: bytes, rng: random.Random) -> bytes | None:
    places = [at for at, byte in enumerate(data) if byte == ord('"')]
    if places and rng.random() < 0.5:
        at = rng.choice(places)
        return data[:at] + data[at + 1 :]
    at = rng.randrange(len(data))
    return data[:at] + b'"' + data[at:]


# --- tables

# Columns whose values no file states twice
JUDGMENTS = ("verb_form", "is_verbal", "is_redundant")
ONCE = ("worker_id", "assign_id", "source_assign_id", *JUDGMENTS)


def on_table(change: Callable[[Table, random.Random], Table | None]) -> Data:
    """Return the change of a CSV file whose rows, including the header, are changed."""

    def apply(data: bytes, rng: random.Random) -> bytes | None:
        table = change(list(csv.reader(io.StringIO(data.decode(), newline=""))), rng)
        if table is None:
            return None
        out = io.StringIO(newline="")
        csv.writer(out, lineterminator="\n").writerows(table)
        return out.getvalue().encode()

    return apply


def swap_columns(table: Table, rng: random.Random) -> Table:
    first, second = rng.sample(range(len(table[0])), 2)
    for row in table:
        row[first], row[second] = row[second], row[first]
    return table


def swap_names(table: Table, rng: random.Random) -> Table | None:
    header = table[0]
    first, second = rng.sample([at for at, name in enumerate(header) if name not in JUDGMENTS], 2)
    header[first], header[second] = header[second], header[first]
    return table


def swap_cells(table: Table, rng: random.Random) -> Table | None:
    """Swap the cells of two rows in a column."""
    column = _column(table, rng)
    first, second = rng.sample(range(1, len(table)), 2)
    table[first][column], table[second][column] = table[second][column], table[first][column]
    return table


def swap_in_row(table: Table, rng: random.Random) -> Table:
    row = rng.choice(table[1:])
    columns = [at for at, name in enumerate(table[0]) if name not in JUDGMENTS]
    first, second = rng.sample(columns, 2)
    row[first], row[second] = row[second], row[first]
    return table


def move_column(table: Table, rng: random.Random) -> Table:
    """Move the cells of a column by a row, as a careless sort or paste does."""
    column, step = _column(table, rng), rng.choice((1, -1))
    cells = [row[column] for row in table[1:]]
    for row, cell in zip(table[1:], cells[step:] + cells[:step], strict=True):
        row[column] = cell
    return table


def delete_cell(table: Table, rng: random.Random) -> Table:
    row = rng.choice(table)
    del row[rng.randrange(len(row))]
    return table


def empty_cell(table: Table, rng: random.Random) -> Table:
    row = rng.choice(table[1:])
    row[_column(table, rng)] = ""
    return table


def shift_positions(table: Table, rng: random.Random) -> Table | None:
    """Move positions, or write inclusive ends, in all rows or in one."""
    header = table[0]
    names = [name for name in ("verb_idx", "target_idx", "answer_range") if name in header]
    if not names:
        return None
    name, change = rng.choice(names), rng.choice(((1, 1), (-1, -1), (0, -1), (1, 0), (0, 1)))
    column = header.index(name)
    for row in table[1:] if rng.random() < 0.5 else [rng.choice(table[1:])]:
        row[column] = _shifted(row[column], *change)
    return table


def _shifted(cell: str, start: int, end: int) -> str:
    def moved(part: str) -> str:
        first, colon, last = part.partition(":")
        return f"{int(first) + start}{colon}{int(last) + end if last else ''}"

    return "~!~".join(map(moved, cell.split("~!~"))) if cell else cell


def replace_word(table: Table, rng: random.Random) -> Table:
    """Replace a word of a cell by another word of the file."""
    words = [word for row in table[1:] for cell in row for word in cell.split()]
    row = rng.choice(table[1:])
    column = _column(table, rng)
    cell = row[column].split()
    if cell:
        cell[rng.randrange(len(cell))] = rng.choice(words)
        row[column] = " ".join(cell)
    return table


def _column(table: Table, rng: random.Random) -> int:
    header = table[0]
    return rng.choice([at for at, name in enumerate(header) if name not in ONCE])


# --- records of fields that blanks separate


def on_fields(separator: str, change: Callable[[Table, random.Random], Table | None]) -> Data:
    def apply(data: bytes, rng: random.Random) -> bytes | None:
        table = change([line.split(separator) for line in data.decode().splitlines()], rng)
        return table and "".join(separator.join(row) + "\n" for row in table).encode()

    return apply


def swap_fields(table: Table, rng: random.Random) -> Table:
    row = rng.choice([row for row in table if len(row) > 1])
    first, second = rng.sample(range(len(row)), 2)
    row[first], row[second] = row[second], row[first]
    return table


def swap_fields_of_rows(table: Table, rng: random.Random) -> Table | None:
    """Swap a field of two sentences: the id, a position, a verb or an argument.

    Arguments and verbs that fit both sentences are not noticed, and neither are confidences.
    """
    first, second = rng.sample(table, 2)
    at = rng.randrange(min(len(first), len(second)))
    if first[0] == second[0] or (first[2:] and first[2].isdigit() and at != 1):
        return None
    first[at], second[at] = second[at], first[at]
    return table


def delete_field(table: Table, rng: random.Random, *, most: int) -> Table:
    """Delete one of the first fields of a line, but no line of a single field."""
    row = rng.choice([row for row in table if len(row) > 1])
    del row[rng.randrange(min(len(row), most))]
    return table


def cut_argument(data: bytes, rng: random.Random) -> bytes | None:
    """Cut within an argument, but not within its role, because nothing follows a role."""
    places = [at for at in range(1, len(data)) if _is_within_argument(data[:at])]
    return data[: rng.choice(places)] if places else None


def _is_within_argument(data: bytes) -> bool:
    fields = data[data.rfind(b"\n") + 1 :].split(b" ")
    return len(fields) > 3 and bool(fields[-1]) and fields[-1].count(b"-:-") < 2


def shift_numbers(data: bytes, rng: random.Random) -> bytes:
    """Move the positions of records, in all lines or in one."""
    lines = data.decode().splitlines()
    step = rng.choice((1, -1))
    chosen = range(len(lines)) if rng.random() < 0.5 else [rng.randrange(len(lines))]
    part = rng.choice(("verb", "arguments", "all"))
    for at in chosen:
        sentence, verb, *rest = lines[at].split(" ")
        if part != "arguments":
            verb = _stepped(verb, step)
        if part != "verb":
            rest = [_stepped_argument(field, step) for field in rest]
        lines[at] = " ".join((sentence, verb, *rest))
    return ("\n".join(lines) + "\n").encode()


def _stepped(positions: str, step: int) -> str:
    return "_".join(str(int(part) + step) for part in positions.split("_"))


def _stepped_argument(field: str, step: int) -> str:
    if "-:-" not in field:
        return field
    filler, positions, role = field.rsplit("-:-", 2)
    return "-:-".join((filler, _stepped(positions, step), role))


# --- JSON

Path = tuple[str | int, ...]


def on_json(change: Callable[[Any, random.Random], Any]) -> Data:
    """Return the change of a JSON value."""

    def apply(data: bytes, rng: random.Random) -> bytes | None:
        value = change(json.loads(data), rng)
        return None if value is None else json.dumps(value).encode()

    return apply


def on_json_lines(change: Callable[[Any, random.Random], Any]) -> Data:
    """Return the change of JSON Lines as a list of values."""

    def apply(data: bytes, rng: random.Random) -> bytes | None:
        value = change([json.loads(line) for line in data.splitlines()], rng)
        if value is None:
            return None
        return "".join(json.dumps(line) + "\n" for line in value).encode()

    return apply


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        if isinstance(member, dict | list):
            yield from leaves(member, (*path, key))
        else:
            yield (*path, key)


def member(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def change_type(value: Any, rng: random.Random) -> Any:
    """Replace a value by one of another type or range."""
    path = rng.choice(list(leaves(value)))
    others = (None, True, -1, 0, 1.5, 10**9, "", "x", "\ud800", [], {}, [[]], float("nan"))
    member(value, path[:-1])[path[-1]] = rng.choice(others)
    return value


def replace_member(value: Any, rng: random.Random) -> Any:
    """Replace an object or a list by something else, but by no empty list, which may be valid."""
    paths = sorted({path[:end] for path in leaves(value) for end in range(1, len(path))}, key=str)
    path = rng.choice(paths)
    member(value, path[:-1])[path[-1]] = rng.choice((None, True, 3, "x", [1], [None]))
    return value


def delete_key(value: Any, rng: random.Random) -> Any:
    """Delete a field. A whole entry of a list is not missed."""
    paths = {path[:end] for path in leaves(value) for end in range(1, len(path) + 1)}
    fields = sorted((path for path in paths if _is_field(path[-1])), key=str)
    path = rng.choice(fields)
    del member(value, path[:-1])[path[-1]]
    return value


def _is_field(key: str | int) -> bool:
    return isinstance(key, str) and key.isidentifier()


def swap_values(*names: str) -> Callable[[Any, random.Random], Any]:
    """Return a change that swaps the values of a key in two objects of a kind.

    The ids of two boxes in the same image stay, because nothing else states which box has which id.
    """

    def change(value: Any, rng: random.Random) -> Any:
        name = rng.choice(names)
        owners = [owner for owner in objects(value) if name in owner]
        first = rng.choice(owners) if owners else {}
        others = [owner for owner in owners if owner is not first and owner.keys() == first.keys()]
        if not others:
            return None
        second = rng.choice(others)
        if name == "id" and "bbox" in first and first.get("image_id") == second.get("image_id"):
            return None
        first[name], second[name] = second[name], first[name]
        return value

    return change


def step_values(*names: str) -> Callable[[Any, random.Random], Any]:
    """Return a change that moves the numbers of a key, in one object or in all."""

    def change(value: Any, rng: random.Random) -> Any:
        name, step = rng.choice(names), rng.choice((1, -1, 2))
        owners = [owner for owner in objects(value) if name in owner]
        if not owners:
            return None
        for owner in owners if rng.random() < 0.5 else [rng.choice(owners)]:
            owner[name] = _moved_number(owner[name], step)
        return value

    return change


def _moved_number(value: Any, step: int) -> Any:
    if isinstance(value, list):
        return [_moved_number(part, step) for part in value]
    return value + step if type(value) in (int, float) else value


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from objects(part)


def repeat_entry(value: Any, rng: random.Random) -> Any:
    """Repeat an entry of a list of objects."""
    lists = [entries for entries in _lists(value) if entries and isinstance(entries[0], dict)]
    entries = rng.choice(lists)
    entry = json.loads(json.dumps(rng.choice(entries)))
    entries.insert(rng.randrange(len(entries) + 1), entry)
    return value


def reorder_entries(value: Any, rng: random.Random) -> Any:
    lists = [entries for entries in _lists(value) if entries and isinstance(entries[0], dict)]
    rng.shuffle(rng.choice(lists))
    return value


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from _lists(part)


def replace_token(*names: str) -> Callable[[Any, random.Random], Any]:
    """Return a change that replaces, repeats or removes a token of a list."""

    def change(value: Any, rng: random.Random) -> Any:
        owners = [(owner, name) for owner in objects(value) for name in names if name in owner]
        if not owners:
            return None
        owner, name = rng.choice(owners)
        tokens = list(owner[name])
        at = rng.randrange(len(tokens))
        tokens[at : at + 1] = rng.choice((["other"], [tokens[at], tokens[at]], [], ["a b"], [""]))
        owner[name] = tokens
        return value

    return change
