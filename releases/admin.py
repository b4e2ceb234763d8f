"""Admin pages for releases."""

from audit.admin import register_read_only
from releases.models import Release

register_read_only(Release, "project version source released_by frozen_at")
