"""Record the migrations of a release: `python -m scripts.freeze_migrations 1.0`.

It writes the SHA-256 of each migration of our apps, and of the modules that migrations import, to
`tests/upgrades/<version>/migrations.json`, so that a test fails if one changes later. Comments and blank
lines don't count.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASES = ROOT / "tests" / "upgrades"
NAME = "migrations.json"
_IMPORT = re.compile(r"^from ([a-z_.]+) import ", re.MULTILINE)


def digests() -> dict[str, str]:
    """Return the digest of each file by its path."""
    return {
        str(path.relative_to(ROOT)): digest_of(path.read_text("utf-8")) for path in sorted(_files())
    }


def _files() -> set[Path]:
    migrations = set(ROOT.glob("*/migrations/[0-9]*.py"))
    return migrations | {path for migration in migrations for path in _imported(migration)}


def _imported(migration: Path) -> Iterator[Path]:
    for name in _IMPORT.findall(migration.read_text("utf-8")):
        path = ROOT / f"{name.replace('.', '/')}.py"
        if path.exists():
            yield path


def digest_of(source: str) -> str:
    """Return a digest of the source without comments on lines of their own, and blank lines."""
    lines = (line.rstrip() for line in source.splitlines())
    kept = [line for line in lines if line and not line.lstrip().startswith("#")]
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()


def frozen() -> dict[str, str]:
    """Return the recorded digests of all releases. Those of later releases include earlier ones."""
    found: dict[str, str] = {}
    for path in sorted(RELEASES.glob(f"*/{NAME}")):
        found |= json.loads(path.read_text("utf-8"))
    return found


def main(version: str) -> None:
    folder = RELEASES / version
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NAME).write_text(json.dumps(digests(), indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
