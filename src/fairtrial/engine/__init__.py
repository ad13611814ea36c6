"""The lab's side of the load engine: building it, and speaking the protocol of docs/engine-protocol.md."""
