"""The record of a run: all observations, each written as soon as it is made."""
