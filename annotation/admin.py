"""Read-only administration of sentences, items, batches and submissions."""

from django.contrib import admin

from annotation.models import Batch, Item, Sentence, Submission
from audit.admin import ReadOnlyAdmin


@admin.register(Sentence)
class SentenceAdmin(ReadOnlyAdmin):
    list_display = ("external_id", "project", "domain", "partition")
    list_filter = ("project", "partition")
    list_select_related = ("project",)
    search_fields = ("external_id",)


@admin.register(Item)
class ItemAdmin(ReadOnlyAdmin):
    list_display = ("key", "project", "position")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("key",)


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "state", "reward_cents", "created_at")
    list_filter = ("state", "role")
    list_select_related = ("project",)


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("item", "role", "worker", "author", "state", "submitted_at")
    list_filter = ("state", "role")
    list_select_related = ("item", "worker", "author")
    search_fields = ("item__key", "worker__pseudonym")
