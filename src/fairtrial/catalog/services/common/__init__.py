"""Shared by services: the life of a private server, the use of an external one, loading, and what SQL clients do.

A product gives a `Client` (how the lab speaks to a server) and a `ServerProgram` (how a private one is started).
"""
