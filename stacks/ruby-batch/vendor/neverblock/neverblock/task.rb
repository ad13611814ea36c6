# frozen_string_literal: true

module NeverBlock
  # Raised in a task to end it; nobody is told. It is no StandardError, so that `rescue => error` lets it through.
  class Cancelled < Exception # rubocop:disable Lint/InheritException
    def initialize(message = "cancelled")
      super
    end
  end

  # A fiber that the scheduler runs. What its block raises is reported, and ends this fiber only.
  class Task < Fiber
    def initialize(scheduler, &block)
      @scheduler = scheduler
      super(blocking: false) do
        block.call
      rescue Cancelled
        nil
      rescue StandardError, ScriptError, SystemStackError => error
        scheduler.report_error(error)
      ensure
        scheduler.forget(self)
      end
    end

    # Raises in the task what Kernel#raise would. A task that waits goes on with the error in the loop's next turn, and
    # the caller at once. A task that no longer waits, because what it waited for has come, gets it at its next wait:
    # nothing that was granted to it is lost. May be called from any thread.
    def raise(error = RuntimeError.new("unhandled exception"), message = nil, backtrace = nil)
      return ::Kernel.raise(*[error, message, backtrace].compact) if equal?(Fiber.current)
      return ::Kernel.raise(FiberError, "the task has ended") unless alive?

      error = RuntimeError.new(error) if error.is_a?(String)
      error = message ? error.exception(message) : error.exception
      error.set_backtrace(backtrace) if backtrace
      @scheduler.interrupt(self, error)
    end

    def cancel
      self.raise(Cancelled.new) if alive?
    end
  end
end
