import os
import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from operations.domain.encrypted_file import DamagedError, DecryptingReader, read_key
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Write an encrypted backup as a ZIP archive that anybody can read."
    example = "manage.py decrypt_backup touchstone.zip.enc --key-file backup.key --out plain.zip"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--key-file", type=Path, required=True, metavar="FILE")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path, out = options["file"], options["out"]
        try:
            self._decrypt(path, read_key(options["key_file"]), out)
        except DamagedError as error:
            raise InputError(f"{path} cannot be decrypted: {error}.") from error
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}.") from error
        facts = {"file": str(out), "bytes": out.stat().st_size}
        self.write_result(facts, f"{path} was decrypted to {out}.", as_json=options["json"])

    def _decrypt(self, path: Path, key: bytes, out: Path) -> None:
        with path.open("rb") as encrypted, DecryptingReader(encrypted, key) as reader:
            handle = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(handle, "wb") as file:
                    shutil.copyfileobj(reader, file)
            except BaseException:
                out.unlink()
                raise
