from django.urls import path

from projects.api import guidelines, me, members, projects, webhooks

AT = "projects/<slug:slug>/"
MEMBER = AT + "members/<int:pk>/"
WEBHOOK = AT + "webhooks/<int:pk>/"
DELIVERY = WEBHOOK + "deliveries/<int:delivery>/"
INVITATION = AT + "invitations/<int:pk>/"

urlpatterns = [
    path("me/", me.Me.as_view(), name="me"),
    path("projects/", projects.Projects.as_view(), name="projects"),
    path(AT, projects.ProjectDetail.as_view(), name="project"),
    path(AT + "guidelines/", guidelines.GuidelinesList.as_view(), name="guidelines"),
    path(
        AT + "guidelines/<int:pk>/",
        guidelines.GuidelinesDetail.as_view(),
        name="guidelines_version",
    ),
    path(AT + "members/", members.Members.as_view(), name="members"),
    path(MEMBER, members.MemberDetail.as_view(), name="member"),
    path(MEMBER + "remove/", members.RemoveMember.as_view(), name="remove_member"),
    path(AT + "invitations/", members.Invitations.as_view(), name="invitations"),
    path(INVITATION, members.InvitationDetail.as_view(), name="invitation"),
    path(
        INVITATION + "withdraw/", members.WithdrawInvitation.as_view(), name="withdraw_invitation"
    ),
    path(AT + "webhooks/", webhooks.Webhooks.as_view(), name="webhooks"),
    path(WEBHOOK, webhooks.WebhookDetail.as_view(), name="webhook"),
    path(WEBHOOK + "test/", webhooks.TestWebhook.as_view(), name="test_webhook"),
    path(WEBHOOK + "deliveries/", webhooks.Deliveries.as_view(), name="deliveries"),
    path(DELIVERY + "replay/", webhooks.ReplayDelivery.as_view(), name="replay_delivery"),
    path(WEBHOOK + "remove/", webhooks.RemoveWebhook.as_view(), name="remove_webhook"),
]
