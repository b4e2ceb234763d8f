"""Read workers' ids from text, and check that the workers exist at the marketplace."""

from collections.abc import Sequence
from dataclasses import dataclass

from audit.errors import TouchstoneError
from crowd.domain.provider.providers import NO_ANSWER, provider_of
from crowd.domain.workers.qualifications import ensure_type
from crowd.models import QualificationType, Worker
from crowd.providers.limits import OutOfLimitsError

# Each check is a call to the marketplace while the user waits.
MAX_CHECKED = 30
# The number of lines that an error message names
MAX_NAMED = 5


class WorkerIdError(TouchstoneError):
    """Some of the entered ids can't be ids of workers. The message names the lines."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Ids that the marketplace does not know, and ids about which it gives no answer."""

    unknown: list[str]
    unverified: list[str]


def read_worker_ids(*, provider: str, text: str) -> dict[str, int]:
    """Return the ids in the text with their lines, from 1. Raise WorkerIdError.

    Spaces, commas and line breaks separate ids.
    """
    check = provider_of(provider).check_worker_id
    lines: dict[str, int] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        for worker in line.replace(",", " ").split():
            if worker in lines:
                continue
            lines[worker] = number
            try:
                check(worker)
            except OutOfLimitsError as error:
                problems.append(f"Line {number}: {str(error).removeprefix('worker: ')}")
    if problems:
        more = len(problems) - MAX_NAMED
        named = problems[:MAX_NAMED] + ([f"{more} more ids are not valid."] if more > 0 else [])
        raise WorkerIdError(" ".join(named))
    return lines


def verify_workers(*, qualification: QualificationType, ids: Sequence[str]) -> Verification:
    """Check the ids, except those of workers that this site has seen.

    The qualification is one of ours, which the marketplace needs for the check.
    """
    provider = qualification.provider
    seen = Worker.objects.filter(provider=provider, external_id__in=ids)
    known = set(seen.values_list("external_id", flat=True))
    new = [worker for worker in ids if worker not in known]
    unknown: list[str] = []
    unverified = new[MAX_CHECKED:]
    for at, worker in enumerate(new[:MAX_CHECKED]):
        try:
            kind = ensure_type(provider=provider, code=qualification.code)
            exists = provider_of(provider).has_worker(worker, qualification=kind.external_id)
        except NO_ANSWER:
            # The marketplace can't be reached, so further calls would only take time.
            return Verification(unknown, [*new[at:MAX_CHECKED], *unverified])
        if exists is False:
            unknown.append(worker)
        elif exists is None:
            unverified.append(worker)
    return Verification(unknown, unverified)
