from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from jobs.models import Job, SweepFailure


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("kind", "scope", "state", "requested_by", "requested_at", "ended_at")
    list_filter = ("kind", "state")
    search_fields = ("scope",)


@admin.register(SweepFailure)
class SweepFailureAdmin(ReadOnlyAdmin):
    list_display = ("first_failed_at", "sweep", "model", "object_id", "attempts", "retry_at")
    list_filter = ("sweep",)
    search_fields = ("object_id",)
