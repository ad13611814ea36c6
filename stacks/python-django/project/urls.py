"""All paths are those of the application."""

from django.urls import include, path

urlpatterns = [path("", include("api.urls"))]
