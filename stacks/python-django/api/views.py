"""What is read: a constant, one item of many, and all categories."""

import random
from functools import cache

from django.conf import settings
from django.db import connection
from django.db.models import Max, Min
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from api.models import Category, Item

ITEMS = Item.objects.values("id", "uuid", "name", "hash_code", "created_at")
CATEGORIES = Category.objects.order_by("id").values("id", "name", "slug", "description")
COMPACT = {"separators": (",", ":"), "ensure_ascii": False}


@require_safe
def health(_request: HttpRequest) -> HttpResponse:
    if settings.HAS_DATABASE:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    return HttpResponse("ok", content_type="text/plain")


@require_safe
def plaintext(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("Hello, World!", content_type="text/plain")


@require_safe
def random_item(_request: HttpRequest) -> JsonResponse:
    """One row, picked by the database on each request; nothing of it is kept."""
    return _answer(ITEMS.filter(id__gte=random.randint(*_bounds())).order_by("id").first())


@require_safe
def item_by_uuid(_request: HttpRequest, uuid: str) -> JsonResponse:
    return _answer(ITEMS.filter(uuid=uuid).first())


@require_safe
def categories(_request: HttpRequest) -> JsonResponse:
    return JsonResponse(list(CATEGORIES.all()), safe=False, json_dumps_params=COMPACT)


@cache
def _bounds() -> tuple[int, int]:
    """The first and the last id: read once, when they are first needed."""
    bounds = Item.objects.aggregate(first=Min("id"), last=Max("id"))
    if bounds["first"] is None:
        raise Http404("the table items is empty")
    return bounds["first"], bounds["last"]


def _answer(item: dict | None) -> JsonResponse:
    if item is None:
        raise Http404
    return JsonResponse(item)
