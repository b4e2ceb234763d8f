"""Read-only admin pages of rounds, enrolments, evaluations and feedback."""

from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from qualification.models import Enrolment, Evaluation, Feedback, Round


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    list_display = ("title", "project", "role", "ordinal", "kind")
    list_filter = ("kind", "role")
    list_select_related = ("project",)


@admin.register(Enrolment)
class EnrolmentAdmin(ReadOnlyAdmin):
    list_display = ("worker", "round", "state", "enrolled_at")
    list_filter = ("state",)
    list_select_related = ("worker", "round__project")
    search_fields = ("worker__pseudonym",)


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    list_display = ("enrolment", "rule", "computed_at")
    list_select_related = ("enrolment__worker",)


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    list_display = ("evaluation", "trainer", "written_at", "sent_at", "trainer_seconds")
    list_select_related = ("trainer", "evaluation")
