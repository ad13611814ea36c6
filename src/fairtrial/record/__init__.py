"""The record: observations, written the moment they are made."""
