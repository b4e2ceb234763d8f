from django.urls import path

from crowd import views

app_name = "crowd"

urlpatterns = [
    path("notifications/<slug:key>/", views.notifications, name="notifications"),
    path("events/<slug:provider>/", views.events, name="events"),
]
