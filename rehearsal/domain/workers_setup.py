"""The accounts and qualifications of a rehearsal's workers."""

import hashlib
import hmac
import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from io import StringIO

from django.conf import settings
from django.core.management import call_command

from crowd.domain.workers.qualifications import grant_qualification
from crowd.domain.workers.register_worker import register_worker
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.admit import pool_of
from rehearsal.domain.scenario import Scenario
from rehearsal.domain.simulated_crowd import names_of
from rehearsal.domain.worker import Account, SimulatedWorker

AT_ONCE = 4
POOL_ROLES = (Role.GENERATOR, Role.CONSOLIDATOR, Role.VALIDATOR)


def make_accounts(*, project: Project, count: int, seed: int) -> list[Account]:
    """Return accounts with new invitations. The same project and seed give the same names."""
    names = [f"sim-{project.slug}-{seed}-{number}" for number in range(1, count + 1)]
    codes = _invitations(count, simulated=True)
    return [
        Account(name, f"{name}@rehearsal.invalid", _password(name), code)
        for name, code in zip(names, codes, strict=True)
    ]


def make_workers(*, site: str, script: Scenario, count: int) -> dict[str, SimulatedWorker]:
    """Sign in `count` workers of the scenario. Return them by their marketplace ids.

    From then on, the project is marked as having simulated work.
    """
    Project.objects.filter(pk=script.project.pk).update(has_simulated_work=True)
    accounts = make_accounts(project=script.project, count=count, seed=script.seed)
    workers = [SimulatedWorker(site=site, account=account, script=script) for account in accounts]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        worker_ids = list(threads.map(SimulatedWorker.sign_in, workers))
    script.names.update(zip(worker_ids, names_of(count), strict=True))
    return dict(zip(worker_ids, workers, strict=True))


def make_account(*, name: str, password: str) -> Account:
    """Return an account with the given name and password."""
    return Account(name, f"{name}@rehearsal.invalid", password, _invitations(1, simulated=False)[0])


def _invitations(count: int, *, simulated: bool) -> list[str]:
    printed = StringIO()
    # Called by name, because no app imports the marketplace.
    call_command("invite_workers", count=count, simulated=simulated, json=True, stdout=printed)
    codes: list[str] = json.loads(printed.getvalue())["codes"]
    return codes


def _password(name: str) -> str:
    secret = hmac.new(settings.SECRET_KEY.encode(), name.encode(), hashlib.sha256).hexdigest()
    return f"Sim-{secret[:24]}"


def train(*, project: Project, worker_ids: Iterable[str], now: datetime) -> None:
    """Grant the workers all of the trained pool's qualifications."""
    for role in POOL_ROLES:
        pool = pool_of(project, role)
        for worker_id in worker_ids:
            worker = register_worker(
                provider=project.provider, external_id=worker_id, is_simulated=True, now=now
            )
            grant_qualification(qualification=pool, worker=worker, now=now)
