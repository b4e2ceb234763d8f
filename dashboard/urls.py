from django.urls import path

from dashboard.views import archive, jobs, log, projects, search, setting_up
from dashboard.views import help as help_views

app_name = "dashboard"

urlpatterns = [
    path("", projects.projects, name="projects"),
    path("your-turn/", projects.your_turn, name="your_turn"),
    path("search/", search.search_page, name="search"),
    path("help/", help_views.help_page, name="help"),
    path("help/images/<str:name>", help_views.help_image, name="help_image"),
    path("help/<path:path>", help_views.help_page, name="help_page"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/set-up/<slug:step>/", setting_up.settle, name="settle_step"),
    path("projects/<slug:slug>/progress/", projects.progress_over_time, name="progress_over_time"),
    path("projects/<slug:slug>/jobs/", jobs.jobs, name="jobs"),
    path("projects/<slug:slug>/jobs/<int:pk>/cancel/", jobs.cancel, name="cancel_job"),
    path(
        "projects/<slug:slug>/payments/<int:pk>/close/",
        jobs.close_payment_page,
        name="close_payment",
    ),
    path("projects/<slug:slug>/archive/", archive.archive_page, name="archive_page"),
    path("projects/<slug:slug>/archive/begin/", archive.archive, name="archive"),
    path("projects/<slug:slug>/archive/end/", archive.unarchive, name="unarchive"),
    path("projects/<slug:slug>/archive/delete/", archive.delete, name="delete_project"),
    path(
        "projects/<slug:slug>/rehearsals/<int:pk>/delete/",
        archive.delete_dry_run,
        name="delete_dry_run",
    ),
    path("projects/<slug:slug>/log/", log.log, name="log"),
    path("projects/<slug:slug>/log.csv", log.log_csv, name="log_csv"),
]
