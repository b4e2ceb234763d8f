"""Write the backup of a release: `python -m tests.upgrades.write_backup 1.0`.

It builds a site with work in progress in a temporary folder, and writes its backup and its figures to
`tests/upgrades/<version>/`. It takes some minutes.
"""

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

from tests.upgrades.stored import BACKUP, FIGURES, FOLDER, SITE

ROOT = FOLDER.parent.parent


def main(version: str) -> None:
    out = FOLDER / version
    out.mkdir(exist_ok=True)
    (out / BACKUP).unlink(missing_ok=True)
    with TemporaryDirectory(prefix="touchstone-upgrades-") as var:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        environment = {**kept, **SITE, "VAR_DIR": var}

        def run(*arguments: str) -> str:
            command = [sys.executable, *arguments]
            return subprocess.run(
                command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
            ).stdout

        run("manage.py", "migrate", "-v0")
        run("-m", "tests.upgrades.work", "begin")
        run("manage.py", "backup", "--out", str(out / BACKUP))
        (out / FIGURES).write_text(run("-m", "tests.upgrades.work", "figures"))
    size = (out / BACKUP).stat().st_size
    print(f"{out / BACKUP}: {size / 1000:.0f} kB")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
