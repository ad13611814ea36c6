"""The contract check: a running stack, held against what every stack and its workload owe."""
