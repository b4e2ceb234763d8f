from django.urls import path

from dashboard.views import jobs, log, projects

app_name = "dashboard"

urlpatterns = [
    path("", projects.projects, name="projects"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/jobs/", jobs.jobs, name="jobs"),
    path("projects/<slug:slug>/jobs/<int:pk>/cancel/", jobs.cancel, name="cancel_job"),
    path("projects/<slug:slug>/log/", log.log, name="log"),
    path("projects/<slug:slug>/log.csv", log.log_csv, name="log_csv"),
]
