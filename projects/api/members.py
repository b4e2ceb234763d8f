"""Endpoints of a project's members and invitations."""

from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from projects.api.endpoint import DetailEndpoint, ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of
from projects.domain.invite import invite, link_of, send_invitation, withdraw
from projects.domain.members import LastAdminError, members_of, set_roles
from projects.enums import MemberRole, TokenScope
from projects.models import Invitation, Project
from projects.permissions import ADMINS, patch, post, read
from web.actions import action
from web.errors import conflicts
from web.serializers import BodySerializer


class MemberSerializer(serializers.ModelSerializer[User]):
    email = serializers.CharField(
        read_only=True, help_text="Empty for an account without an email address."
    )
    roles = serializers.SerializerMethodField()

    class Meta:
        model = get_user_model()
        fields = ("id", "username", "email", "roles")
        read_only_fields = fields

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(MemberRole.choices)))
    def get_roles(self, user: Any) -> list[str]:
        return sorted(membership.role for membership in user.own_roles)


class RolesSerializer(BodySerializer):
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=MemberRole.choices),
        min_length=1,
        max_length=len(MemberRole),
        help_text="All roles that the member has from now on.",
    )


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    """An open invitation. `problem` is the reason if the mail server refused it."""

    problem = serializers.CharField(source="error", read_only=True)

    class Meta:
        model = Invitation
        fields: tuple[str, ...] = (
            "id", "email", "role", "invited_by", "created_at", "expires_at", "sent_at", "problem",
        )  # fmt: skip
        read_only_fields = fields


class WholeInvitationSerializer(InvitationSerializer):
    link = serializers.SerializerMethodField()

    class Meta(InvitationSerializer.Meta):
        fields = (*InvitationSerializer.Meta.fields, "link")
        read_only_fields = fields

    @extend_schema_field(serializers.URLField())
    def get_link(self, invitation: Invitation) -> str:
        """Return the address at which the person accepts, to send if this site sends no email."""
        return link_of(invitation)


class NewInvitationSerializer(BodySerializer):
    email = serializers.EmailField(max_length=254)
    role = serializers.ChoiceField(choices=MemberRole.choices)


class InvitedSerializer(serializers.Serializer[Any]):
    """The member, if the address is that of an account, or else the invitation."""

    member = MemberSerializer(allow_null=True)
    invitation = InvitationSerializer(allow_null=True)


class _OfMembers(ProjectEndpoint):
    queryset = get_user_model().objects.none()
    serializer_class: Any = MemberSerializer
    tag = "members"

    def listed(self) -> QuerySet[User]:
        return members_of(project=self.project)

    def change_roles(self, request: Request, pk: int, roles: set[str]) -> User:
        """Replace the member's roles, and return the member as before."""
        # The lock keeps the roles unchanged between the If-Match check and the change.
        Project.objects.select_for_update(of=("self",)).get(pk=self.project.pk)
        member: User = self.find_row(pk=pk)
        self.require_match(request, MemberSerializer(member).data)
        with conflicts({LastAdminError: "invalid_state"}):
            set_roles(
                project=self.project,
                user=member,
                roles=roles,
                actor=actor_of(request),
                now=timezone.now(),
            )
        return member


class Members(_OfMembers, ListEndpoint):
    """List the project's members with their roles."""

    rules = read(ADMINS, TokenScope.MEMBERS)
    operations = {"GET": "list_members"}


class MemberDetail(_OfMembers, DetailEndpoint):
    """Return a member."""

    rules = read(ADMINS, TokenScope.MEMBERS) | patch(ADMINS, TokenScope.MEMBERS)
    operations = {"GET": "get_member", "PATCH": "change_member"}
    refusals = (409, 412)

    @extend_schema(request=RolesSerializer, responses={200: MemberSerializer})
    @action
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Replace a member's roles. The project keeps an admin."""
        roles = set(self.read_body(request, RolesSerializer)["roles"])
        self.change_roles(request, pk, roles)
        return Response(MemberSerializer(self.find_row(pk=pk)).data)


class RemoveMember(_OfMembers):
    rules = post(ADMINS, TokenScope.MEMBERS)
    operations = {"POST": "remove_member"}
    refusals = (409, 412)

    @extend_schema(request=None, responses={200: MemberSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a member, whose API tokens lose the project too. The answer has the lost roles."""
        self.read_body(request)
        return Response(MemberSerializer(self.change_roles(request, pk, set())).data)


class _OfInvitations(ProjectEndpoint):
    queryset = Invitation.objects.none()
    serializer_class: Any = InvitationSerializer
    tag = "members"

    def listed(self) -> QuerySet[Invitation]:
        return self.project.invitations.open(timezone.now())


class Invitations(_OfInvitations, ListEndpoint):
    """List the project's open invitations."""

    rules = read(ADMINS, TokenScope.MEMBERS) | post(ADMINS, TokenScope.MEMBERS)
    operations = {"GET": "list_invitations", "POST": "invite_member"}

    @extend_schema(request=NewInvitationSerializer, responses={201: InvitedSerializer})
    @action
    def post(self, request: Request, slug: str) -> Response:
        """Invite a person by email, or give the role to the account with this address.

        An open invitation of the same address and role is replaced.
        """
        data, now = self.read_body(request, NewInvitationSerializer), timezone.now()
        invited = invite(project=self.project, actor=actor_of(request), now=now, **data)
        if isinstance(invited, Invitation):
            # After the transaction, which must not wait for a mail server
            send = partial(send_invitation, invitation=invited, now=now)
            transaction.on_commit(send, robust=True)
            body: dict[str, Any] = {"member": None, "invitation": invited}
            name = "invitation"
        else:
            member = members_of(project=self.project).get(pk=invited.pk)
            body, name = {"member": member, "invitation": None}, "member"
        location = reverse(f"api:{name}", args=[slug, invited.pk], request=request)
        return Response(InvitedSerializer(body).data, 201, headers={"Location": location})


class InvitationDetail(_OfInvitations, DetailEndpoint):
    """Return an open invitation with its link."""

    rules = read(ADMINS, TokenScope.MEMBERS)
    serializer_class = WholeInvitationSerializer
    operations = {"GET": "get_invitation"}


class WithdrawInvitation(_OfInvitations):
    rules = post(ADMINS, TokenScope.MEMBERS)
    operations = {"POST": "withdraw_invitation"}

    @extend_schema(request=None, responses={200: InvitationSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Withdraw an open invitation. Its link stops working."""
        self.read_body(request)
        invitation = self.find_row(pk=pk)
        withdraw(invitation=invitation, actor=actor_of(request), now=timezone.now())
        return Response(InvitationSerializer(invitation).data)
