# frozen_string_literal: true

# Of several processes, such as Passenger's, the first answers while others are missing. Each leaves a mark in a file
# when it starts, so that GET /health says yes only when all are there.
module Started
  MARKS = ENV["STARTED_PROCESSES"]

  class << self
    def mark
      File.write(MARKS, ".", mode: "a") if MARKS
    end

    def all?
      MARKS.nil? || File.size?(MARKS).to_i >= Integer(ENV.fetch("MAX_CONCURRENCY"))
    end
  end
end
