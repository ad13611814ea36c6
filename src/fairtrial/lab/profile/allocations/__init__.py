"""Allocations of programs while they are under load, by runtimes that tell it and without any change to the program."""
