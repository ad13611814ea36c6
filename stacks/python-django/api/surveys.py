"""What is stored: the answers of one survey by one user, confirmed when they are committed."""

import json
import re

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views import View

from api.batches import Batches
from api.models import Survey

NAME = re.compile(r"[a-z0-9-]{1,32}")
NUMBER = re.compile(r"[1-9][0-9]{0,9}")
LARGEST_NUMBER = 2_147_483_647

batches = Batches(Survey.objects.bulk_create, settings.BATCH_SIZE)


class SurveyView(View):
    def post(self, request: HttpRequest, survey: str, user: str) -> HttpResponse:
        return _stored(Survey.save, request, survey, user)

    def put(self, request: HttpRequest, survey: str, user: str) -> HttpResponse:
        return _stored(_replace, request, survey, user)


class BatchedSurveyView(View):
    def post(self, request: HttpRequest, survey: str, user: str) -> HttpResponse:
        return _stored(batches.add, request, survey, user)


@transaction.atomic
def _replace(row: Survey) -> None:
    same = Survey.objects.filter(survey=row.survey, user_number=row.user_number)
    if not same.update(answers=row.answers):
        row.save()


def _stored(write, request: HttpRequest, survey: str, user: str) -> HttpResponse:
    try:
        body = request.body
    except RequestDataTooBig:
        return HttpResponse(status=413)
    row = Survey(survey=_name(survey), user_number=_number(user), answers=_json_object(body))
    if settings.HAS_DATABASE:
        write(row)
    return HttpResponse(status=201)


def _name(text: str) -> str:
    if not NAME.fullmatch(text):
        raise BadRequest("a survey is named by at most 32 small letters, digits and hyphens")
    return text


def _number(text: str) -> int:
    if not NUMBER.fullmatch(text) or int(text) > LARGEST_NUMBER:
        raise BadRequest(f"a user is a number from 1 to {LARGEST_NUMBER}")
    return int(text)


def _json_object(body: bytes) -> dict:
    try:
        answers = json.loads(body, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise BadRequest("the body is no JSON") from error
    if not isinstance(answers, dict):
        raise BadRequest("the body is no JSON object")
    return answers


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
