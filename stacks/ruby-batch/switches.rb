# frozen_string_literal: true

# The job `task-switching`: tasks in a ring that hand a token round.

require_relative "gathering"

Tasks.go_round(Integer(ENV.fetch("TASKS")), Integer(ENV.fetch("SWITCHES")), Gathering.new) do |token, number|
  ((token ^ token >> 15) * 0x2C1B3C6D + number) & 0xFFFFFFFF
end
