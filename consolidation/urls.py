from django.urls import path

from consolidation import api, views

app_name = "consolidation"

urlpatterns = [
    path("consolidate/<uuid:public_id>/", views.consolidate, name="consolidate"),
    path("validate/<uuid:public_id>/", views.validate, name="validate"),
    path("work/consolidation/submit/", views.submit, name="submit"),
]

AT = "projects/<slug:slug>/"

api_urlpatterns = [
    path(AT + "items/", api.Items.as_view(), name="items"),
    path(AT + "items/<int:pk>/", api.ItemDetail.as_view(), name="item"),
    path(AT + "cases/", api.Cases.as_view(), name="cases"),
    path(AT + "gold/", api.GoldList.as_view(), name="gold"),
]
