"""Administration of projects."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from audit.admin import ReadOnlyAdmin, register_read_only
from projects.domain.api_tokens import revoke_token
from projects.models import ApiToken, Guidelines, Membership, Project


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 1
    autocomplete_fields = ("user",)


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin):
    """Administration of a project's title and members. The other fields are read-only."""

    list_display = ("title", "slug", "scheme", "created_at")
    search_fields = ("slug", "title")
    readonly_fields = tuple(
        field.name for field in Project._meta.fields if field.name not in ("id", "title")
    )
    inlines = (MembershipInline,)

    def has_add_permission(self, request: object) -> bool:
        return False  # create_project also creates the budget and the guidelines

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False


register_read_only(Guidelines, "project role version written_at", filters="role")


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Administration of all API tokens, which administrators can revoke."""

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
