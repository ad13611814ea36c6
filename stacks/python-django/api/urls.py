"""Paths to views."""

from django.urls import path

from api import surveys, views

urlpatterns = [
    path("health", views.health),
    path("plaintext", views.plaintext),
    path("items/random", views.random_item),
    path("items/<str:uuid>", views.item_by_uuid),
    path("categories", views.categories),
    path("survey/<str:survey>/<str:user>", surveys.SurveyView.as_view()),
    path("surveybatched/<str:survey>/<str:user>", surveys.BatchedSurveyView.as_view()),
]
