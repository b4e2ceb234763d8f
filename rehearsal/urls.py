from django.urls import path

from rehearsal import views

app_name = "rehearsal"

urlpatterns = [
    path("projects/<slug:slug>/dry-run/", views.dry_run, name="dry_run"),
]
