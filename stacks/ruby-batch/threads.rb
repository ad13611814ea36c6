# frozen_string_literal: true

require_relative "waiting"

# Tasks that are threads.
module Tasks
  extend Waiting

  Thread.report_on_exception = false # `value` raises what a thread raised

  # Runs the block, and waits for all tasks that it starts.
  def self.together
    @threads = []
    yield
    @threads.each(&:value)
  end

  # Starts a task.
  def self.start(&work)
    @threads << Thread.new(&work)
  end
end
