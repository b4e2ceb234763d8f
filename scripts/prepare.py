"""Prepare what a wheel contains besides the files of the commit: `python -m scripts.prepare`.

It writes the collected static files and the tables of a new site to `prepared/` of this checkout, which
must have none. SOURCE_DATE_EPOCH is the time of the migrations.
"""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    target = ROOT / "prepared"
    target.mkdir()
    with TemporaryDirectory() as folder:
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "VAR_DIR": folder,
            "STATIC_ROOT": str(target / "static"),
        }
        for command in ("migrate", "collect_static"):
            arguments = [sys.executable, str(ROOT / "manage.py"), command, "--verbosity", "0"]
            subprocess.run(arguments, env=environment, check=True)
        os.environ |= {**environment, "DJANGO_SETTINGS_MODULE": "config.settings"}
        _store_tables(Path(folder) / "touchstone.sqlite3", target)


def _store_tables(database: Path, target: Path) -> None:
    import django  # noqa: PLC0415 - reads the environment

    from database.prepared_tables import store_tables  # noqa: PLC0415

    django.setup()
    at = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    store_tables(database, target, at=at)


if __name__ == "__main__":
    main()
