"""Pages of HTMLQuestions, made ready for this marketplace."""

from collections.abc import Sequence
from html import escape
from html.parser import HTMLParser
from urllib.parse import SplitResult, urlsplit

SUBMIT_PATH = "/mturk/externalSubmit"
#: MTurk's script with `turkSetAssignmentID`. The marketplace has its own.
MTURK_SCRIPT = "/externalHIT_v1.js"
Attributes = Sequence[tuple[str, str | None]]


def prepare_page(html: str, *, submit_url: str, script_url: str) -> str:
    """Return a page with its submission forms pointed at `submit_url`, and with the script.

    Only these start tags change. Without a URL, as in a preview, the forms have an empty action.
    """
    tags = _StartTags(html, submit_url, script_url)
    tags.feed(html)
    tags.close()
    script = f'<script src="{escape(script_url)}"></script>'
    edits = [*tags.edits, (tags.script_at, tags.script_at, script)]
    # A stable order, because the script follows the tag that ends where it begins.
    for start, end, text in sorted(edits, key=lambda edit: edit[0], reverse=True):
        html = html[:start] + text + html[end:]
    return html


class _StartTags(HTMLParser):
    """A parser that collects the start tags to replace, as (start, end, text)."""

    def __init__(self, html: str, submit_url: str, script_url: str) -> None:
        super().__init__(convert_charrefs=False)
        self.edits: list[tuple[int, int, str]] = []
        #: Where the script goes: after the start tag of the head, or after those before it.
        self.script_at = 0
        self._submit_url = submit_url
        self._script_url = script_url
        self._lines = [0]
        for line in html.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def handle_decl(self, decl: str) -> None:
        self.script_at = self.script_at or self._position() + len(f"<!{decl}>")

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        changed = [(name, self._value(tag, name, value)) for name, value in attrs]
        start = self._position()
        source = self.get_starttag_text() or ""
        if tag in ("html", "head"):
            self.script_at = start + len(source)
        if changed != list(attrs):
            self.edits.append((start, start + len(source), _start_tag(tag, changed)))

    def _position(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def _value(self, tag: str, name: str, value: str | None) -> str | None:
        if (tag, name) == ("script", "src") and (value or "").endswith(MTURK_SCRIPT):
            return self._script_url
        is_action = (tag, name) == ("form", "action") or name == "formaction"
        return self._submit_url if is_action and _is_submission(value or "") else value


def _start_tag(tag: str, attrs: Attributes) -> str:
    texts = [name if value is None else f'{name}="{escape(value)}"' for name, value in attrs]
    return f"<{' '.join([tag, *texts])}>"


def _is_submission(action: str) -> bool:
    url = _split(action.strip())
    host = url.hostname or ""
    if not url.netloc:
        return f"/{url.path.strip('/')}" == SUBMIT_PATH
    return host == "mturk.com" or host.endswith(".mturk.com")


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")
