# frozen_string_literal: true

# The job `task-creation`: tasks that all exist at once.

require_relative "gathering"

Tasks.gather(Integer(ENV.fetch("TASKS")), Gathering.new)
