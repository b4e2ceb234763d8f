"""The errors of benchmarks, whose messages pages and the API show."""

from audit.errors import TouchstoneError


class BenchmarkError(TouchstoneError):
    """A benchmark or a phase that can't be opened or changed like this."""


class TeamError(TouchstoneError):
    """A team that can't be registered, joined or changed like this."""


class EntryError(TouchstoneError):
    """An entry that is not accepted. Nothing was stored."""


class LimitError(EntryError):
    """An entry that is one too many."""
