from pathlib import Path

from projects.command import FileCommand
from schemes.registry import FILE_PROGRAMS


class Command(FileCommand):
    program = FILE_PROGRAMS[Path(__file__).stem]
