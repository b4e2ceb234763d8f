"""Write the message catalogues of the workers' pages: `python -m scripts.write_messages`.

Texts are extracted from the templates, Python and JavaScript of the workers' pages and from the schemes.
Existing translations are kept, new texts get an empty one, and texts that are gone are removed. The
compiled catalogues (.mo) are written as well, so that no one else needs a tool. JavaScript texts are in
the same catalogue with the context "js", because pages send them to the scripts.
"""

import ast
import os
import re
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import Path

import django
from django.utils.translation.template import templatize

from projects.protocols import TERMS
from schemes.content_models import SENTENCES
from schemes.contract.scheme import Scheme
from schemes.grounding.comparison import state_detail
from schemes.grounding.merging import STATE_TEXTS
from schemes.grounding.remarks import SIZE_CODES
from schemes.registry import SCHEMES
from touchstone.layout import BASE_DIR
from web.script_texts import texts_of_script

LOCALE = BASE_DIR / "locale"
SKIPPED = {"tests", "docs", "var", "node_modules", "scripts", "benchmarks", "client", "locale"}
JS = "js"
EOT = "\4"
_FUNCTIONS = {
    "gettext": (0, None),
    "gettext_lazy": (0, None),
    "gettext_noop": (0, None),
    "ngettext": (0, 1),
    "ngettext_lazy": (0, 1),
}
# What templatize() writes
_TEMPLATE = re.compile(
    r"""\b(?P<plural>n)?gettext\((?P<arguments>(?:u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")(?:,\s*)?)+)"""
    r"""|\b_\((?P<constant>"[^"]*"|'[^']*')\)""",
    re.DOTALL,
)
_STRING = re.compile(r"""u?('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Message:
    """A text with its translations: one, or the forms of a plural."""

    text: str
    plural: str = ""
    context: str = ""
    places: frozenset[str] = field(default=frozenset(), compare=False)
    translations: tuple[str, ...] = field(default=(), compare=False)
    comments: tuple[str, ...] = field(default=(), compare=False)

    @property
    def key(self) -> tuple[str, str]:
        return self.context, self.text

    def with_translations(self, *translations: str) -> "Message":
        return replace(self, translations=translations)

    @property
    def is_translated(self) -> bool:
        return bool(self.translations) and all(self.translations)


# Functions of schemes that take a text, and the position of that argument. A plural follows it.
_OF_SCHEMES = {"Translatable": 0, "ContentError": 1, "UnknownLabelError": 1, "refuse": 1}
# The modules whose errors pages for workers show
_CHECKS = re.compile(r"(content|content_models|validating|drafts|kinds/\w+)\.py$")


def extracted() -> dict[tuple[str, str], Message]:
    """Return the texts of the sources by context and text."""
    found: dict[tuple[str, str], Message] = {}
    for message in (*_of_templates(), *_of_tables(), *_of_python(), *_of_scripts(), *_of_schemes()):
        known = found.get(message.key, message)
        found[message.key] = replace(
            message,
            places=known.places | message.places,
            plural=known.plural or message.plural,
        )
    return found


def _of_templates() -> Iterator[Message]:
    for path in sorted((BASE_DIR / "templates").rglob("*.html")):
        source = path.read_text("utf-8")
        if "i18n" not in source and "_(" not in source:
            continue
        for match in _TEMPLATE.finditer(templatize(source)):
            strings = match["constant"] or match["arguments"]
            texts = [ast.literal_eval(string) for string in _STRING.findall(strings)]
            yield _message(path, texts[0], texts[1] if match["plural"] else "")


def _of_tables() -> Iterator[Message]:
    """Return the captions and headings of tables, which their tag translates."""
    for path in sorted((BASE_DIR / "templates" / "marketplace").glob("*.html")):
        for arguments in re.findall(r"{% table (.*?)%}", path.read_text("utf-8")):
            for text in re.findall(r'"([^"|]*)[^"]*"', arguments):
                yield _message(path, text)


def _of_python() -> Iterator[Message]:
    for path in _sources(".py"):
        source = path.read_text("utf-8")
        if "django.utils.translation" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in _FUNCTIONS:
                singular, plural = _FUNCTIONS[node.func.id]
                texts = [
                    argument.value if isinstance(argument, ast.Constant) else None
                    for argument in node.args
                ]
                if isinstance(texts[singular], str):
                    more = texts[plural] if plural is not None else ""
                    yield _message(path, str(texts[singular]), str(more))


def _of_scripts() -> Iterator[Message]:
    for path in sorted((BASE_DIR / "static" / "js").rglob("*.js")):
        if path.name == "html.js":  # it defines the functions
            continue
        for text, plural in texts_of_script(path.read_text("utf-8")):
            yield _message(path, text, plural, context=JS)


def _of_schemes() -> Iterator[Message]:
    """Return the texts that pages take from the schemes, which know nothing of Django."""
    schemes = BASE_DIR / "schemes"
    for scheme in SCHEMES.values():
        path = schemes / scheme.name / "scheme.py"
        yield from (_message(path, text) for text in _texts_of(scheme) if text)
    for text in SIZE_CODES.values():
        yield _message(schemes / "grounding" / "remarks.py", text)
    for expected, given in permutations(STATE_TEXTS, 2):
        yield _message(schemes / "grounding" / "comparison.py", state_detail(expected, given))
    for text in STATE_TEXTS.values():
        yield _message(schemes / "grounding" / "merging.py", text)
    for text in SENTENCES.values():
        yield _message(schemes / "content_models.py", text)
    for terms in TERMS.values():
        yield _message(BASE_DIR / "projects" / "protocols.py", terms.done)
    for path in (*sorted(schemes.rglob("*.py")), *_sources(".py")):
        yield from _of_scheme_calls(path)


def _texts_of(scheme: Scheme) -> Iterator[str]:
    vocabulary = scheme.vocabulary
    for task in vocabulary.tasks.values():
        yield task.title
    for noun in (vocabulary.item, vocabulary.unit):
        yield from (noun.singular, noun.plural)
    for state in scheme.comparison.states.values():
        yield from (state.label, state.explanation)
    for tutorial in scheme.tutorials.values() if scheme.name != "custom" else ():
        for step in tutorial().steps:
            yield from (step.title, step.text)
    for exercise in scheme.practice.exercises() if scheme.practice else ():
        yield from (exercise.title, exercise.lesson, *exercise.notes.values())


def _of_scheme_calls(path: Path) -> Iterator[Message]:
    source = path.read_text("utf-8")
    is_shown = _CHECKS.search(path.as_posix())
    if "Translatable" not in source and not is_shown:
        return
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        at = _OF_SCHEMES.get(node.func.id)
        if at is None or (at and not is_shown):
            continue
        texts = [
            *node.args,
            *(keyword.value for keyword in node.keywords if keyword.arg == "plural"),
        ]
        literals = [
            text.value
            for text in texts[at : at + 2]
            if isinstance(text, ast.Constant) and isinstance(text.value, str)
        ]
        if literals:
            yield _message(path, *literals)


def _message(path: Path, text: str, plural: str = "", context: str = "") -> Message:
    places = frozenset({path.relative_to(BASE_DIR).as_posix()})
    return Message(text=text, plural=plural, context=context, places=places)


def _sources(suffix: str) -> Iterator[Path]:
    for folder in sorted(path for path in BASE_DIR.iterdir() if (path / "__init__.py").exists()):
        if folder.name not in SKIPPED:
            yield from sorted(folder.rglob(f"*{suffix}"))


def read_catalogue(path: Path) -> tuple[str, list[Message]]:
    """Return the header and the messages of a .po file."""
    header, messages = "", []
    for block in path.read_text("utf-8").split("\n\n"):
        values: dict[str, str] = {}
        comments, name = [], ""
        for line in block.splitlines():
            if line.startswith("#"):
                if not line.startswith("#:"):
                    comments.append(line)
            elif match := re.match(r'(msg\w+(?:\[\d\])?) (".*")$', line):
                name = match[1]
                values[name] = ast.literal_eval(match[2])
            elif line.startswith('"'):
                values[name] += ast.literal_eval(line)
        if not values:
            continue
        forms = sorted(name for name in values if name.startswith("msgstr"))
        translations = tuple(values[name] for name in forms)
        if not values["msgid"]:
            header = (
                "\n".join(comments) + "\n" + _entry("msgid", "") + _entry("msgstr", translations[0])
            )
            continue
        messages.append(
            Message(
                text=values["msgid"],
                plural=values.get("msgid_plural", ""),
                context=values.get("msgctxt", ""),
                translations=translations,
                comments=tuple(comments),
            )
        )
    return header, messages


def merged(known: Iterable[Message]) -> list[Message]:
    """Return the extracted messages with the known translations, sorted by place and text."""
    translations = {message.key: message for message in known}
    messages = []
    for message in extracted().values():
        old = translations.get(message.key)
        if old and bool(old.plural) == bool(message.plural):
            messages.append(replace(message, translations=old.translations, comments=old.comments))
        else:
            messages.append(message)
    return sorted(
        messages, key=lambda message: (min(message.places), message.context, message.text)
    )


def catalogue_text(header: str, messages: Iterable[Message]) -> str:
    return "\n".join([header, *(_block(message) for message in messages)])


def _block(message: Message) -> str:
    lines = [*message.comments, *(f"#: {place}" for place in sorted(message.places))]
    text = "".join(f"{line}\n" for line in lines)
    if message.context:
        text += _entry("msgctxt", message.context)
    text += _entry("msgid", message.text)
    if not message.plural:
        return text + _entry("msgstr", (message.translations or ("",))[0])
    text += _entry("msgid_plural", message.plural)
    forms = message.translations or ("", "")
    return text + "".join(_entry(f"msgstr[{at}]", form) for at, form in enumerate(forms))


def _entry(name: str, value: str) -> str:
    def quoted(text: str) -> str:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'

    lines = value.splitlines(keepends=True)
    if len(lines) < 2:
        return f"{name} {quoted(value)}\n"
    return "\n".join([f'{name} ""', *map(quoted, lines)]) + "\n"


def compiled(header: str, messages: Iterable[Message]) -> bytes:
    """Return the content of the .mo file: https://www.gnu.org/software/gettext/manual, "MO Files"."""
    texts: dict[str, str] = {"": _header_text(header)}
    for message in messages:
        if message.is_translated:
            name = f"{message.context}{EOT}{message.text}" if message.context else message.text
            name += f"\0{message.plural}" if message.plural else ""
            texts[name] = "\0".join(message.translations)
    entries = sorted((text.encode(), value.encode()) for text, value in texts.items())
    all_names, all_values = b"", b""
    offsets = []
    for key, value in entries:
        offsets.append((len(key), len(all_names), len(value), len(all_values)))
        all_names += key + b"\0"
        all_values += value + b"\0"
    start = 7 * 4 + 16 * len(entries)
    table = [number for size, at, _, _ in offsets for number in (size, at + start)]
    table += [
        number for _, _, size, at in offsets for number in (size, at + start + len(all_names))
    ]
    head = (0x950412DE, 0, len(entries), 7 * 4, 7 * 4 + 8 * len(entries), 0, 0)
    return struct.pack(f"<{7 + len(table)}I", *head, *table) + all_names + all_values


def _header_text(header: str) -> str:
    lines = [line for line in header.splitlines() if line.startswith(("msgstr", '"'))]
    return "".join(ast.literal_eval(line.removeprefix("msgstr ")) for line in lines)


def catalogues() -> Mapping[str, Path]:
    """Return the .po files by language."""
    return {path.parts[-3]: path for path in sorted(LOCALE.glob("*/LC_MESSAGES/django.po"))}


def main() -> int:
    untranslated = 0
    for language, path in catalogues().items():
        header, known = read_catalogue(path)
        messages = merged(known)
        path.write_text(catalogue_text(header, messages), "utf-8")
        path.with_suffix(".mo").write_bytes(compiled(header, messages))
        missing = sum(not message.is_translated for message in messages)
        untranslated += missing
        sys.stdout.write(f"{language}: {len(messages)} texts, {missing} to translate\n")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    sys.exit(main())
