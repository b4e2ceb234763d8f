"""Helper processes of an import, which end with it."""

import os
import signal
import subprocess
import sys

from tests.environment import ROOT

IMPORTS = """
import multiprocessing, time
import django
django.setup()
from annotation.domain.find_items import POOL_FROM, item_finder
from schemes.base import SentenceRecord
if __name__ == "__main__":
    sentences = [SentenceRecord(f"a:{n}", ("Dogs", "bark"), n) for n in range(POOL_FROM)]
    with item_finder("qasrl") as find:
        find(sentences)
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        time.sleep(600)
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_helpers_end_with_a_killed_import(embedded_site, tmp_path, wait_for):
    program = tmp_path / "imports.py"
    program.write_text(IMPORTS)
    env = {**embedded_site, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings"}
    process = subprocess.Popen(
        [sys.executable, str(program)], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    )
    helpers = [int(pid) for pid in process.stdout.readline().split()]
    assert helpers
    assert all(map(is_running, helpers))
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    wait_for(lambda: not any(map(is_running, helpers)))
