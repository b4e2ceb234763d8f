from django.urls import path

from projects.views import members, notifications, saved_filters, settings, tokens, webhooks

app_name = "projects"

urlpatterns = [
    path("projects/new/", settings.project_new, name="project_new"),
    path("api/docs/", tokens.api_docs, name="api_docs"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", tokens.revoke, name="revoke_token"),
    path("notifications/", notifications.notifications, name="notifications"),
    path("notifications/read/", notifications.mark_all_read, name="mark_all_read"),
    path("notifications/<int:pk>/", notifications.open_notification, name="open_notification"),
    path("notifications/<int:pk>/read/", notifications.mark_read, name="mark_read"),
    path(
        "account/notifications/", notifications.notification_settings, name="notification_settings"
    ),
    path("unsubscribe/<str:token>/", notifications.unsubscribe, name="unsubscribe"),
    path("projects/<slug:slug>/settings/", settings.settings, name="settings"),
    path(
        "projects/<slug:slug>/settings/check-provider/",
        settings.check_provider,
        name="check_provider",
    ),
    path("projects/<slug:slug>/settings/protocol/", settings.protocol, name="protocol"),
    path("projects/<slug:slug>/guidelines/", settings.guidelines, name="guidelines"),
    path("projects/<slug:slug>/members/", members.members, name="members"),
    path("projects/<slug:slug>/members/<int:pk>/", members.member, name="member"),
    path("projects/<slug:slug>/members/invite/", members.invite_member, name="invite"),
    path(
        "projects/<slug:slug>/members/invitations/<int:pk>/", members.invitation, name="invitation"
    ),
    path("projects/<slug:slug>/webhooks/", webhooks.webhooks, name="webhooks"),
    path("projects/<slug:slug>/webhooks/<int:pk>/", webhooks.webhook, name="webhook"),
    path(
        "projects/<slug:slug>/webhooks/<int:pk>/test/", webhooks.test_webhook, name="test_webhook"
    ),
    path(
        "projects/<slug:slug>/webhooks/<int:pk>/delete/",
        webhooks.remove_webhook,
        name="remove_webhook",
    ),
    path(
        "projects/<slug:slug>/webhooks/<int:pk>/deliveries/<int:delivery>/replay/",
        webhooks.replay_delivery,
        name="replay_delivery",
    ),
    path("projects/<slug:slug>/filters/", saved_filters.save, name="save_filter"),
    path(
        "projects/<slug:slug>/filters/<int:pk>/delete/", saved_filters.delete, name="delete_filter"
    ),
]
