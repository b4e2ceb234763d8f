"""The stored backups of releases, and how they are brought to the present."""

import hashlib
import json
import re
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
BACKUP, FIGURES, MANIFEST = "backup.zip", "figures.json", "manifest.json"
# The settings of the site of the backups
SITE = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "SECRET_KEY": "the-key-of-the-backups-of-the-tests-of-upgrades-0123456789",
    "SITE_URL": "http://127.0.0.1:8471",
    "SWEEP_SECONDS": "1",
    "LOG_LEVEL": "ERROR",
    "BACKUP_HOURS": "0",
    "SNAPSHOT_MINUTES": "0",
}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00")


def versions() -> list[str]:
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{BACKUP}"))


def figures_of(version: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / version / FIGURES).read_text("utf-8"))
    return found


def moved_to_the_present(backup: Path, out: Path) -> Path:
    """Write the backup with all times moved, as if it were made now. Return `out`."""
    with zipfile.ZipFile(backup) as before, zipfile.ZipFile(out, "w") as after:
        manifest = json.loads(before.read(MANIFEST))
        delay = datetime.now(UTC) - datetime.fromisoformat(manifest["made_at"])
        for name in before.namelist():
            data = before.read(name)
            if name == MANIFEST:
                continue
            if name.startswith("data/"):
                data = _moved(data, delay)
                digest = hashlib.sha256(data).hexdigest()
                manifest["members"][name] |= {"sha256": digest, "size": len(data)}
            after.writestr(name, data)
        after.writestr(MANIFEST, json.dumps(manifest))
    return out


def _moved(lines: bytes, delay: timedelta) -> bytes:
    def moved(match: re.Match[str]) -> str:
        return (datetime.fromisoformat(match[0]) + delay).isoformat()

    return TIME.sub(moved, lines.decode()).encode()
