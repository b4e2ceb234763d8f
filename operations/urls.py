from django.urls import path

from operations import views

app_name = "operations"

urlpatterns = [
    path("health/live", views.live, name="live"),
    path("health/traffic", views.traffic, name="traffic"),
    path("health/web", views.HealthView.as_view(checks=views.WEB), name="web"),
    path("health/ready", views.HealthView.as_view(checks=views.ALL), name="ready"),
    path(".well-known/security.txt", views.security_txt, name="security_txt"),
    path("metrics", views.metrics, name="metrics"),
]
