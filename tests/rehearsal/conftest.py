"""Fixtures for rehearsals: in one process with our own marketplace and a clock, or on a running site."""

import subprocess
import sys

import pytest

from tests import environment
from tests.crowd.conftest import clock, wire
from tests.fakes.chat_server import Reply, chat_server

__all__ = ["clock", "wire"]


FOUNDER = """
from django.contrib.auth import get_user_model
get_user_model().objects.create_superuser("fay", password="a long enough password")
"""
HOLD = """
import time
from rehearsal.domain.site import Site
with Site():
    print("up", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def chat():
    """A server of models, which never answer in form."""
    with chat_server(lambda request: Reply("I'd rather not.")) as server:
        yield server


@pytest.fixture
def site(embedded_site, free_port, migrate, collected, chat):
    env = {
        **embedded_site,
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "SWEEP_SECONDS": "1",
        "LEASE_SECONDS": "10",
        "MODEL_HOSTS": chat.host,
    }
    manage = [sys.executable, "manage.py"]
    migrate(env)
    founder = [*manage, "shell", "-v0", "-c", FOUNDER]
    subprocess.run(founder, cwd=environment.ROOT, env=env, check=True)
    process = subprocess.Popen(
        [*manage, "shell", "-v0", "-c", HOLD],
        cwd=environment.ROOT,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    yield env
    process.terminate()
    process.wait()
    process.stdout.close()
