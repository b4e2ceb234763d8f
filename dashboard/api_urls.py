from django.urls import path

from dashboard import api

AT = "projects/<slug:slug>/"

urlpatterns = [
    path(AT + "workers/", api.Workers.as_view(), name="workers"),
    path(AT + "workers/<slug:pseudonym>/", api.WorkerDetail.as_view(), name="worker"),
    path(AT + "costs/", api.Costs.as_view(), name="costs"),
    path(AT + "ledger/", api.Ledger.as_view(), name="ledger"),
    path(AT + "log/", api.Log.as_view(), name="log"),
    path(AT + "exports/", api.Exports.as_view(), name="exports"),
    path(AT + "exports/<int:pk>/", api.ExportDetail.as_view(), name="export"),
    path(AT + "exports/<int:pk>/cancel/", api.CancelExport.as_view(), name="cancel_export"),
    path(AT + "exports/<int:pk>/<path:file>", api.ExportedFile.as_view(), name="export_file"),
    path(AT + "jobs/", api.Jobs.as_view(), name="jobs"),
    path(AT + "archive/", api.ArchiveProject.as_view(), name="archive_project"),
    path(AT + "unarchive/", api.UnarchiveProject.as_view(), name="unarchive_project"),
    path(AT + "delete/", api.DeleteProject.as_view(), name="delete_project"),
]
