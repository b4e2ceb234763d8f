import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from database.limits import limit_database

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# gunicorn ends without trying again if a process exits with this code.
BOOT_ERROR = 3

application = get_wsgi_application()
limit_database("web")
# Its models can be imported from here on.
from audit.domain.data_version import exit_with_other_data  # noqa: E402

exit_with_other_data(BOOT_ERROR)
# Load routes before the first request. With --preload, all processes share them, and their memory
# stays shared because the garbage collector no longer visits it.
get_resolver().url_patterns  # noqa: B018 - loads the routes
gc.freeze()
