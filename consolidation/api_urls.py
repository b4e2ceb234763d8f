from django.urls import path

from consolidation import api, conflicts_api, definitions_api, studies_api

AT = "projects/<slug:slug>/"
BATCH = AT + "batches/<int:pk>/"

urlpatterns = [
    path(AT + "submissions/decide/", api.DecideSubmissions.as_view(), name="decide_submissions"),
    path(
        AT + "submissions/<int:pk>/copies/",
        conflicts_api.Copies.as_view(),
        name="copies_of_submission",
    ),
    path(AT + "studies/", studies_api.Studies.as_view(), name="studies"),
    path(AT + "sessions/", studies_api.Sessions.as_view(), name="sessions"),
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
