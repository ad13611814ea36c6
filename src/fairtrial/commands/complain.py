"""The name under which `run` still imports `print_problem`."""

from fairtrial.commands.output import print_problem

complain = print_problem
