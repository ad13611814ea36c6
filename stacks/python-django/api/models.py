"""The tables, which are there already: the lab makes them."""

from django.db import models


class Item(models.Model):
    id = models.BigIntegerField(primary_key=True)
    uuid = models.TextField(unique=True)
    name = models.TextField()
    hash_code = models.TextField()
    created_at = models.DateTimeField()
    description = models.TextField()

    class Meta:
        managed = False
        db_table = "items"


class Category(models.Model):
    id = models.BigIntegerField(primary_key=True)
    name = models.TextField()
    slug = models.TextField()
    description = models.TextField()

    class Meta:
        managed = False
        db_table = "categories"


class Survey(models.Model):
    id = models.BigAutoField(primary_key=True)
    survey = models.TextField()
    user_number = models.IntegerField()
    answers = models.JSONField()

    class Meta:
        managed = False
        db_table = "surveys"
