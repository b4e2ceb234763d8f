"""Django's settings, from the environment.

By default the site uses SQLite, a file-system queue and its own marketplace, all under `var/`.
`config.environment` checks the variables. A wrong value stops the start with a line that names the
variable.
"""

from config.settings.accounts import *
from config.settings.api import *
from config.settings.background import *
from config.settings.crowds import *
from config.settings.database import *
from config.settings.logs import *
from config.settings.security import *
from config.settings.site import *
from config.settings.storage import *
