"""What the services that speak SQL share: the lab's own access, a private server's life, an external database's.

A database gives a `Recipe` (how its programs are run) and a `SqlClient` (how it is spoken to).
"""
