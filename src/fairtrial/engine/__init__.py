"""The load engine as the lab drives it: its build, and the protocol of docs/engine-protocol.md."""
