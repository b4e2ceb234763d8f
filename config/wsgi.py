import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
# Now, and not while the first visitor waits; with --preload, once for all processes.
get_resolver().url_patterns  # noqa: B018 - loads the routes
# What is loaded by now stays. Looking through it for garbage takes a tenth of a second, in which
# nobody is answered.
gc.collect()
gc.freeze()
