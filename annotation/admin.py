"""Projects and people's roles in the administration; what people annotated is read only."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from annotation.domain.api_tokens import revoke_token
from annotation.models import (
    ApiToken,
    Batch,
    CorpusImport,
    Guidelines,
    Item,
    Membership,
    Project,
    Sentence,
    Submission,
)
from audit.admin import ReadOnlyAdmin


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 1
    autocomplete_fields = ("user",)


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin):
    """The title and who has which role; the rest is fixed once work is published under it."""

    list_display = ("title", "slug", "scheme", "created_at")
    search_fields = ("slug", "title")
    readonly_fields = (
        "slug",
        "scheme",
        "provider",
        "budget",
        "pay_scheme",
        "generators_per_item",
        "protocol",
        "validators_per_item",
        "validators_to_agree",
        "exclusion_scope",
        "seed",
        "created_at",
    )
    inlines = (MembershipInline,)

    def has_add_permission(self, request: object) -> bool:
        return False  # create_project makes the budget and the guidelines with it

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False


@admin.register(Guidelines)
class GuidelinesAdmin(ReadOnlyAdmin):
    list_display = ("project", "role", "version", "written_at")
    list_filter = ("role",)
    list_select_related = ("project",)


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


@admin.register(CorpusImport)
class CorpusImportAdmin(ReadOnlyAdmin):
    list_display = ("project", "state", "asked_by", "asked_at", "ended_at")
    list_filter = ("state",)
    list_select_related = ("project",)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Everybody's tokens: an administrator ends those of somebody who has left, or has lost one."""

    list_display = ("name", "user", "beginning", "created_at", "last_used_at", "revoked_at")
    list_filter = ("all_projects",)
    list_select_related = ("user",)
    search_fields = ("name", "user__username", "beginning")
    exclude = ("digest",)
    actions = ("revoke",)

    @admin.action(description="Revoke the selected tokens")
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        for token in tokens:
            revoke_token(token=token, actor=request.user.get_username(), now=timezone.now())
