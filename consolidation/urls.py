from django.urls import path

from consolidation import views

app_name = "consolidation"

urlpatterns = [
    path("consolidate/<uuid:public_id>/", views.consolidate, name="consolidate"),
    path("work/consolidation/submit/", views.submit, name="submit"),
]
