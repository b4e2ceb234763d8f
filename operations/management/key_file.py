"""The option for the key of an encrypted backup."""

from argparse import ArgumentParser
from pathlib import Path

from operations.domain.encrypted_file import read_key


def add_key_file(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--key-file", type=Path, metavar="FILE", help="the key of an encrypted backup"
    )


def key_of(path: Path | None) -> bytes | None:
    return read_key(path) if path else None
