"""What the site's web processes do before the first visitor comes."""

import os
import subprocess
import sys

from tests.environment import ROOT

LOADED = """
import gc
import config.wsgi
assert gc.get_freeze_count() > 100_000, gc.get_freeze_count()
"""


def test_what_is_loaded_is_not_searched_for_garbage():
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, env=env, check=True)
