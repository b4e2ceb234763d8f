"""Admin pages for releases."""

from audit.admin import register_read_only
from releases.models import Publication, Release

register_read_only(Release, "project version source released_by frozen_at")
register_read_only(Publication, "release service repository record state url doi started_by")
