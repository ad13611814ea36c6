# frozen_string_literal: true

module NeverBlock
  # Finds what blocks the loop: reports, from a thread of its own, a fiber that has kept all others waiting for longer
  # than a limit, with the backtrace of where it is at that moment. One report for each such fiber and turn.
  #
  # Code in C that keeps the interpreter's lock also keeps this thread from running: it is reported if at all once it
  # has given the lock back, with where the fiber is then.
  class HoldWatch
    LOOKS_IN_LIMIT = 4

    # report:: is called with the seconds so far and the backtrace, in the watching thread
    def initialize(limit_seconds, report)
      @limit_seconds = limit_seconds
      @report = report
      @watched = Thread.current
      @thread = Thread.new { watch }
    end

    # A fiber runs from now on.
    def enter
      @since = Timers.now
    end

    # The loop runs from now on.
    def leave
      @since = nil
    end

    def stop
      @thread.kill
    end

    private

    def watch
      reported = nil
      loop do
        sleep @limit_seconds / LOOKS_IN_LIMIT
        since = @since
        next if since.nil? || since == reported

        seconds = Timers.now - since
        next if seconds < @limit_seconds

        backtrace = @watched.backtrace
        next unless @since == since # it has ended meanwhile: the backtrace may be another's

        reported = since
        @report.call(seconds, backtrace)
      end
    end
  end
end
