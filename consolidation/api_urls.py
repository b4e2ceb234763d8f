from django.urls import path

from consolidation import api, conflicts_api, definitions_api, resources_api, studies_api

AT = "projects/<slug:slug>/"
BATCH = AT + "batches/<int:pk>/"
SESSION = AT + "sessions/<int:pk>/"
RESOURCE = AT + "resources/<slug:name>/"
RESOURCE_IMPORT = AT + "resource-imports/<int:pk>/"

urlpatterns = [
    path(AT + "submissions/decide/", api.DecideSubmissions.as_view(), name="decide_submissions"),
    path(
        AT + "submissions/<int:pk>/copies/",
        conflicts_api.Copies.as_view(),
        name="copies_of_submission",
    ),
    path(AT + "studies/", studies_api.Studies.as_view(), name="studies"),
    path(
        AT + "studies/<int:pk>/publish-now/",
        studies_api.PublishStudyNow.as_view(),
        name="publish_study_now",
    ),
    path(AT + "sessions/", studies_api.Sessions.as_view(), name="sessions"),
    path(SESSION, studies_api.SessionDetail.as_view(), name="session"),
    path(SESSION + "pay/", studies_api.PaySession.as_view(), name="pay_session"),
    path(SESSION + "reject/", studies_api.RejectSession.as_view(), name="reject_session"),
    path(AT + "session-payments/", studies_api.SessionPayments.as_view(), name="session_payments"),
    path(
        AT + "session-payments/<int:pk>/decide/",
        studies_api.DecideSessionPayment.as_view(),
        name="decide_session_payment",
    ),
    path(BATCH + "extend/", api.ExtendBatch.as_view(), name="extend_batch"),
    path(BATCH + "enlarge/", api.EnlargeBatch.as_view(), name="enlarge_batch"),
    path(BATCH + "republish/", api.RepublishBatch.as_view(), name="republish_batch"),
    path(AT + "items/", api.Items.as_view(), name="items"),
    path(AT + "items/withdraw/", api.WithdrawItems.as_view(), name="withdraw_items"),
    path(AT + "items/restore/", api.RestoreItems.as_view(), name="restore_items"),
    path(AT + "items/<int:pk>/", api.ItemDetail.as_view(), name="item"),
    path(AT + "cases/", api.Cases.as_view(), name="cases"),
    path(AT + "definitions/", definitions_api.Definitions.as_view(), name="definitions"),
    path(
        AT + "definitions/<int:version>/",
        definitions_api.DefinitionDetail.as_view(),
        name="definition",
    ),
    path(AT + "resources/", resources_api.Resources.as_view(), name="resources"),
    path(
        RESOURCE + "versions/",
        resources_api.ResourceVersions.as_view(),
        name="resource_versions",
    ),
    path(
        RESOURCE + "versions/<int:version>/",
        resources_api.ResourceVersion.as_view(),
        name="resource_version",
    ),
    path(RESOURCE + "lost-parts/", resources_api.LostParts.as_view(), name="lost_parts"),
    path(
        AT + "resource-imports/",
        resources_api.ResourceImports.as_view(),
        name="resource_imports",
    ),
    path(RESOURCE_IMPORT, resources_api.ResourceImportDetail.as_view(), name="resource_import"),
    path(
        RESOURCE_IMPORT + "cancel/",
        resources_api.CancelResourceImport.as_view(),
        name="cancel_resource_import",
    ),
    path(AT + "gold/", api.GoldList.as_view(), name="gold"),
    path(AT + "gold-imports/", api.GoldImports.as_view(), name="gold_imports"),
    path(AT + "gold-imports/<int:pk>/", api.GoldImportDetail.as_view(), name="gold_import"),
    path(
        AT + "gold-imports/<int:pk>/cancel/",
        api.CancelGoldImport.as_view(),
        name="cancel_gold_import",
    ),
    path(AT + "gold-imports/<int:pk>/bad-rows/", api.GoldBadRows.as_view(), name="gold_bad_rows"),
]
