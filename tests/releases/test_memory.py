"""What a site loads that builds no release."""

from tests.starts import starter

LOADED = """
import sys
import django
django.setup()
from django.conf import settings
from django.urls import get_resolver
from django.utils.module_loading import import_string
from config.celery import app
app.loader.import_default_modules()
get_resolver().url_patterns
for kind in settings.JOB_KINDS.values():
    import_string(kind)
print("releases.domain.build_release" in sys.modules, "pyarrow" in sys.modules)
"""


def test_processes_load_no_parquet_before_they_build_a_release(embedded_site):
    """It takes 30 MiB in each worker, and as much in the web server."""
    env = {**embedded_site, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = starter().run("-c", LOADED, env=env)
    assert done.stdout.split() == ["True", "False"], done.stderr
