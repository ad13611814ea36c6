# frozen_string_literal: true

require_relative "neverblock/scheduler"
require_relative "neverblock/io_select"
require_relative "neverblock/pool"

# Code that reads as if it blocked runs concurrently in one thread: each task is a fiber, and a fiber that waits for a
# socket, a lock, a process or a time lets the others run. README.md says what waits that way, and what does not.
module NeverBlock
  # Runs the block in a fiber, with a scheduler for this thread, until it and all fibers that it scheduled have ended.
  # To be called from the thread's first fiber.
  #
  # options:: of Scheduler.new
  #
  # Returns what the block returned. Raises what it raised; other fibers' errors are reported (see Scheduler.new).
  def self.run(**options)
    raise ArgumentError, "this thread has a scheduler already" if Fiber.scheduler

    Fiber.set_scheduler(Scheduler.new(**options))
    value = error = nil
    begin
      Fiber.schedule do
        value = yield
      rescue StandardError => raised
        error = raised
      end
    ensure
      Fiber.set_scheduler(nil)
    end
    raise error if error

    value
  end
end
