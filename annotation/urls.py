from django.urls import path

from annotation import views

app_name = "annotation"

urlpatterns = [
    path("generate/<uuid:public_id>/", views.generate, name="generate"),
    path("compensation/<uuid:public_id>/", views.compensation, name="compensation"),
    path("work/draft/", views.draft, name="draft"),
    path("work/submit/", views.submit, name="submit"),
    path("practice/<slug:scheme>/", views.practice_start, name="practice-start"),
    path("practice/<slug:scheme>/<int:number>/", views.practice, name="practice"),
    path("practice/<slug:scheme>/<int:number>/check/", views.practice_check, name="practice-check"),
]
