# frozen_string_literal: true

require_relative "vendor/neverblock/neverblock"
require_relative "waiting"

# Tasks that are fibers under a scheduler: one that waits for the network or a database lets the others run.
module Tasks
  extend Waiting

  # Runs the block, and waits for all tasks that it starts.
  def self.together(&block)
    failed = nil
    NeverBlock.run(report_error: ->(error) { failed ||= error }, &block)
    raise failed if failed
  end

  # Starts a task, which runs until it first waits.
  def self.start(&work)
    Fiber.schedule(&work)
  end
end
