"""The contract check: a running stack is tested against the clauses that every stack and its workload must meet."""
