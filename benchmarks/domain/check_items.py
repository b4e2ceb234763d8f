"""Check that a system's file has exactly the items of the references."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from audit.errors import TouchstoneError
from schemes.contract.scoring import SystemScoring

# The ids that a message lists, of each kind.
SHOWN = 10


class ItemsDifferError(TouchstoneError):
    """The file lacks items, has unknown ones, or repeats some."""


def check_items(
    scoring: SystemScoring, references: Sequence[Path], system: Path, variant: str
) -> None:
    """Raise ItemsDifferError unless the file has each item of the references once, and no other.

    Raise FileError as `SystemScoring.item_keys` does.
    """
    predicted = Counter(scoring.item_keys(system, variant))
    expected = dict.fromkeys(key for path in references for key in scoring.item_keys(path, variant))
    problems = [
        *_named("missing", [key for key in expected if key not in predicted], scoring),
        *_named("unknown", [key for key in predicted if key not in expected], scoring),
        *_named("repeated", [key for key, count in predicted.items() if count > 1], scoring),
    ]
    if problems:
        raise ItemsDifferError(" ".join(problems))


def _named(what: str, keys: Sequence[str], scoring: SystemScoring) -> Iterable[str]:
    if not keys:
        return []
    more = f" and {len(keys) - SHOWN:,} more" if len(keys) > SHOWN else ""
    listed = ", ".join(key[:60] for key in keys[:SHOWN])
    be = "is" if len(keys) == 1 else "are"
    return [f"{scoring.noun.count(len(keys)).capitalize()} {be} {what}: {listed}{more}."]
