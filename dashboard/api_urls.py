from django.urls import path

from dashboard import api, site_api

AT = "projects/<slug:slug>/"
WORKER = "workers/<slug:pseudonym>/"
FAILURE = "failures/<int:pk>/"

urlpatterns = [
    path("blocks/", site_api.Blocks.as_view(), name="blocks"),
    path(WORKER + "block/", site_api.BlockWorker.as_view(), name="block_worker"),
    path(WORKER + "unblock/", site_api.UnblockWorker.as_view(), name="unblock_worker"),
    path("failures/", site_api.SweepFailures.as_view(), name="failures"),
    path(FAILURE + "retry/", site_api.RetryFailure.as_view(), name="retry_failure"),
    path(FAILURE + "set-aside/", site_api.SetAsideFailure.as_view(), name="set_aside_failure"),
    path(AT + "workers/", api.Workers.as_view(), name="workers"),
    path(AT + "workers/<slug:pseudonym>/", api.WorkerDetail.as_view(), name="worker"),
    path(AT + "costs/", api.Costs.as_view(), name="costs"),
    path(AT + "ledger/", api.Ledger.as_view(), name="ledger"),
    path(AT + "log/", api.Log.as_view(), name="log"),
    path(AT + "exports/", api.Exports.as_view(), name="exports"),
    path(AT + "exports/<int:pk>/", api.ExportDetail.as_view(), name="export"),
    path(AT + "exports/<int:pk>/cancel/", api.CancelExport.as_view(), name="cancel_export"),
    path(AT + "exports/<int:pk>/<path:file>", api.ExportedFile.as_view(), name="export_file"),
    path(AT + "payments/<int:pk>/close/", api.ClosePayment.as_view(), name="close_payment"),
    path(AT + "jobs/", api.Jobs.as_view(), name="jobs"),
    path(AT + "archive/", api.ArchiveProject.as_view(), name="archive_project"),
    path(AT + "unarchive/", api.UnarchiveProject.as_view(), name="unarchive_project"),
    path(AT + "delete/", api.DeleteProject.as_view(), name="delete_project"),
]
