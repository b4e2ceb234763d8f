"""Admin pages of jobs, and of rows that sweeps cannot process."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from audit.admin import ReadOnlyAdmin, register_read_only
from jobs.domain.failures import retry_failures, set_aside
from jobs.models import Job, SweepFailure

register_read_only(
    Job, "kind scope state requested_by requested_at ended_at", filters="kind state", search="scope"
)


@admin.register(SweepFailure)
class SweepFailureAdmin(ReadOnlyAdmin):
    list_display = (
        "first_failed_at",
        "sweep",
        "model",
        "object_id",
        "attempts",
        "retry_at",
        "set_aside_at",
        "error",
    )
    list_filter = ("sweep", ("set_aside_at", admin.EmptyFieldListFilter))
    search_fields = ("object_id", "error")
    actions = ("retry_now", "set_aside")

    @admin.action(description="Retry the selected rows now")
    def retry_now(self, request: HttpRequest, queryset: QuerySet[SweepFailure]) -> None:
        actor = request.user.get_username()
        count = retry_failures(failures=queryset, actor=actor, now=timezone.now())
        self.message_user(request, f"Rows that are tried again: {count}.")

    @admin.action(description="Set the selected rows aside, without further attempts")
    def set_aside(self, request: HttpRequest, queryset: QuerySet[SweepFailure]) -> None:
        actor = request.user.get_username()
        count = set_aside(failures=queryset, actor=actor, now=timezone.now())
        self.message_user(request, f"Rows that were set aside: {count}.")
