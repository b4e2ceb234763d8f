"""Commands in this process, with their exit code and output."""

import io
import json
import zipfile
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command
from PIL import Image

from annotation.models import Item, Sentence
from consolidation.models import Gold
from projects.domain.create_project import create_project
from projects.models import Project
from tests.annotation.factories import NOW


@dataclass(frozen=True)
class Outcome:
    """The exit code of a command, its JSON output or None, and all that it says to people."""

    code: int
    facts: Any
    errors: str


@dataclass(frozen=True)
class Desk:
    """A folder of files, and a project of each scheme that a test names."""

    folder: Path

    def project(self, scheme: str, slug: str = "") -> Project:
        slug = slug or scheme
        known = Project.objects.filter(slug=slug).first()
        return known or create_project(slug=slug, scheme=scheme, now=NOW)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def path(self, name: str) -> Path:
        return self.folder / name

    def zipped(self, name: str, members: dict[str, str | bytes]) -> Path:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        return self.write(name, stream.getvalue())

    def run(self, command: str, *arguments: object, **options: object) -> Outcome:
        out, err = StringIO(), StringIO()
        words = [str(argument) for argument in arguments]
        try:
            call_command(command, *words, json=True, stdout=out, stderr=err, **options)
        except CommandError as error:
            return Outcome(error.returncode, None, f"{err.getvalue()}{error}")
        return Outcome(0, json.loads(out.getvalue()), err.getvalue())

    def corpus(self, scheme: str, fmt: str, *files: Path, **options: object) -> Outcome:
        project = self.project(scheme)
        return self.run("import_corpus", project.slug, *files, format=fmt, **options)

    def gold(self, scheme: str, fmt: str, *files: Path, **options: object) -> Outcome:
        project = self.project(scheme)
        options = {"source": "expert", **options}
        return self.run("import_gold", project.slug, *files, format=fmt, **options)

    def system(self, scheme: str, fmt: str, *files: Path, **options: object) -> Outcome:
        project = self.project(scheme)
        return self.run(
            "import_system", project.slug, *files, format=fmt, system="parser", **options
        )


def picture(width: int = 60, height: int = 40, *, turned: bool = False, kind: str = "PNG") -> bytes:
    """Return an image file. A turned one has the EXIF orientation 6, as from a phone held upright."""
    stream = io.BytesIO()
    image = Image.new("RGB", (width, height), (width % 256, height % 256, 90))
    exif = Image.Exif()
    if turned:
        exif[0x0112] = 6
    image.save(stream, kind, exif=exif)
    return stream.getvalue()


def sentences() -> dict[str, list[str]]:
    return dict(Sentence.objects.order_by("pk").values_list("external_id", "tokens"))


def items() -> list[str]:
    return list(Item.objects.order_by("pk").values_list("key", flat=True))


def gold() -> dict[str, Any]:
    return dict(Gold.objects.order_by("pk").values_list("item__key", "content"))
