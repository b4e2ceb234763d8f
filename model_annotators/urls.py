from django.urls import path

from model_annotators import views

app_name = "model_annotators"
AT = "projects/<slug:slug>/models/"

urlpatterns = [
    path(AT, views.models, name="models"),
    path(AT + "predictions/", views.predictions, name="predictions"),
    path(AT + "<int:pk>/", views.model, name="model"),
    path(AT + "<int:pk>/retire/", views.retire, name="retire_model"),
]
