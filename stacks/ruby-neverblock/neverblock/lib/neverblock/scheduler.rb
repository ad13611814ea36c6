# frozen_string_literal: true

require "io/wait"
require_relative "descriptors"
require_relative "hold_watch"
require_relative "task"
require_relative "timers"
require_relative "wait"

module NeverBlock
  # A fiber scheduler for Ruby 3.1 (see Fiber::SchedulerInterface): the interpreter calls it where a fiber would block,
  # and it runs other fibers meanwhile.
  #
  # Fibers are switched by `transfer`. A fiber may therefore resume others of its own (an Enumerator, say) which wait:
  # they give way to the loop, and not to their resumer.
  class Scheduler
    REPORT_ERROR = ->(error) { warn error.full_message(highlight: false) }
    REPORT_HOLD = lambda do |seconds, backtrace|
      warn "a fiber has held up all others for #{(seconds * 1000).round} ms, here:", *backtrace.map { |at| "\t#{at}" }
    end
    private_constant :REPORT_ERROR, :REPORT_HOLD

    # To be called from the first fiber of the thread whose scheduler it becomes.
    #
    # report_error:: is called with what ended a fiber; by default it is printed to standard error
    # hold_limit_milliseconds:: a fiber that runs for longer without waiting is reported; nil: none is
    # report_hold:: is called with the seconds so far and the backtrace, in another thread; by default they are printed
    def initialize(report_error: REPORT_ERROR, hold_limit_milliseconds: nil, report_hold: REPORT_HOLD)
      @thread = Thread.current
      @loop = Fiber.current
      @report_error = report_error
      @descriptors = Descriptors.new { |wait| lose(wait) }
      @timers = Timers.new
      @waits = {}.compare_by_identity # by fiber
      @ready = [] # waits that are finished, in the order in which their fibers go on
      @messages = Thread::Queue.new # of unblock and interrupt
      @postponed = {}.compare_by_identity # by fiber: errors for its next wait
      @hold_watch = HoldWatch.new(hold_limit_milliseconds / 1000.0, report_hold) if hold_limit_milliseconds
    end

    # --- What the interpreter calls

    # Starts a fiber, which runs until it first waits.
    def fiber(&block)
      task = Task.new(self, &block)
      starter = Fiber.current
      if starter.equal?(@loop)
        enter(task)
      else
        go_on_next(starter)
        @hold_watch&.enter
        task.transfer
        @waits.delete(starter)
      end
      task
    end

    # Returns the events that are ready, or false after so many seconds.
    def io_wait(io, events, timeout = nil)
      watched = events & (IO::READABLE | IO::WRITABLE)
      return in_thread { io.wait(events, timeout) } if watched.zero? # IO::PRIORITY, which libev does not know

      wait = Wait.new(Fiber.current, events: watched)
      descriptor = @descriptors.add(io, wait)
      begin
        suspend(wait, timeout)
      ensure
        @descriptors.remove(descriptor, wait)
      end
    end

    # IO.select. For one file it is a wait like any other, and for several a thread waits. What Ruby has read and nobody
    # has taken is ready: epoll does not know of it.
    def io_select(read = nil, write = nil, except = nil, timeout = nil)
      io, *others = [read, write, except].compact.reduce([], :|)
      return in_thread { IO.select(read, write, except, timeout) } if io.nil? || others.any?

      return [[io], [], []] if read.to_a.any? && io.to_io.nread.positive?

      events = (read.to_a.any? ? IO::READABLE : 0) | (write.to_a.any? ? IO::WRITABLE : 0)
      ready = io_wait(io.to_io, events.zero? ? IO::PRIORITY : events, timeout) || return
      [IO::READABLE, IO::WRITABLE, IO::PRIORITY].map { |event| ready.anybits?(event) ? [io] : [] }
    end

    def kernel_sleep(duration = nil)
      raise ArgumentError, "time interval must not be negative" if duration&.negative?

      # A ConditionVariable waits by sleeping, and its signal is an unblock.
      block(:sleep, duration)
    end

    # Waits for `unblock`: true; or for so many seconds: false.
    def block(_blocker, timeout = nil)
      suspend(Wait.new(Fiber.current, unblockable: true), timeout)
    end

    # Ends the wait in which the fiber is, or which it is about to begin. May be called from any thread.
    def unblock(_blocker, fiber)
      own_thread? ? wake(@waits[fiber]) : tell([fiber, @waits[fiber], nil])
    end

    # Timeout.timeout. The error comes at the wait during which the time is up, or else at the next one.
    def timeout_after(seconds, error_class, message)
      fiber = Fiber.current
      error = error_class.new(message)
      timer = @timers.after(seconds) { deliver(fiber, error) }
      yield seconds
    ensure
      timer&.cancel
      withdraw(fiber, error)
    end

    def process_wait(pid, flags)
      in_thread { Process::Status.wait(pid, flags) }
    end

    # The addresses of a host as texts; nil if there are none.
    def address_resolve(hostname)
      in_thread do
        Addrinfo.getaddrinfo(hostname, nil, nil, :STREAM).map(&:ip_address).uniq
      rescue SocketError
        nil
      end
    end

    # Runs all fibers to their end. The interpreter calls it when the thread ends, or gets another scheduler.
    def close
      return if @closed

      begin
        turn until idle?
      ensure
        @closed = true
        @hold_watch&.stop
        @descriptors.close
      end
    end

    # --- What tasks call

    # Raises the error in a fiber: see Task#raise.
    def interrupt(fiber, error)
      own_thread? ? deliver(fiber, error) : tell([fiber, nil, error])
      nil
    end

    def report_error(error)
      @report_error.call(error)
    end

    # The fiber has ended.
    def forget(fiber)
      @postponed.delete(fiber)
    end

    private

    def idle?
      @waits.empty? && @messages.empty?
    end

    def turn
      take_messages
      @timers.fire
      @ready.size.times { go_on(@ready.shift) }
      poll unless idle?
    end

    def poll
      seconds = @ready.empty? && @messages.empty? ? @timers.seconds_until_next : 0
      @descriptors.poll(seconds) { |wait, events| finish(wait, events) }
    end

    # What it waits for has been closed.
    def lose(wait)
      finish(wait, nil, IOError.new("stream closed in another fiber"))
    end

    def go_on(wait)
      enter(wait.fiber) if wait.fiber.alive?
    end

    def enter(fiber)
      @hold_watch&.enter
      fiber.transfer
    ensure
      @hold_watch&.leave
    end

    # Lets the loop run until the wait is finished, or so many seconds have passed: then it returns false.
    def suspend(wait, timeout)
      fiber = wait.fiber
      raise_postponed(fiber)
      timer = @timers.after(timeout) { finish(wait, false) } if timeout
      @waits[fiber] = wait
      begin
        @loop.transfer
      ensure
        @waits.delete(fiber)
        timer&.cancel
      end
      raise wait.error if wait.error

      wait.value
    end

    # The first to finish a wait decides how it ends.
    def finish(wait, value, error = nil)
      return false if wait.finished?

      wait.finish(value, error)
      @ready << wait
      true
    end

    # A fiber that is about to start another goes on before all others.
    def go_on_next(fiber)
      wait = Wait.new(fiber)
      wait.finish(nil)
      @waits[fiber] = wait
      @ready.unshift(wait)
    end

    def own_thread?
      Thread.current.equal?(@thread)
    end

    # From another thread.
    def tell(message)
      @messages << message
      return if @told || @closed

      @told = true # one byte in the selector's pipe is enough for all messages that wait
      @descriptors.wake
    end

    def take_messages
      @told = false
      until @messages.empty?
        fiber, seen, error = @messages.pop
        next deliver(fiber, error) if error

        wait = @waits[fiber]
        # With `seen` nil, the fiber was about to wait when it was unblocked. It waits now, as only the loop is here. If
        # it waits for something else by now, the unblock came too late.
        wake(wait) if seen.nil? || seen.equal?(wait)
      end
    end

    def wake(wait)
      return unless wait&.unblockable?

      wait.finished? ? grant(wait) : finish(wait, true)
    end

    # An unblock for a fiber whose wait is finished, and which has not gone on since. If an error has finished it, the
    # error is put off: a lock that was released to this fiber would be nobody's otherwise. If its time was up, the
    # unblock comes too late.
    def grant(wait)
      error = wait.error || return
      wait.finish(true)
      postpone(wait.fiber, error)
    end

    def deliver(fiber, error)
      wait = @waits[fiber]
      postpone(fiber, error) unless wait && finish(wait, nil, error)
    end

    def postpone(fiber, error)
      (@postponed[fiber] ||= []) << error if fiber.alive?
    end

    def raise_postponed(fiber)
      errors = @postponed[fiber] || return
      error = errors.shift
      @postponed.delete(fiber) if errors.empty?
      raise error
    end

    def withdraw(fiber, error)
      errors = @postponed[fiber] || return
      errors.delete_if { |postponed| postponed.equal?(error) }
      @postponed.delete(fiber) if errors.empty?
    end

    # What can only block does so in a thread.
    def in_thread(&block)
      Thread.new do
        Thread.current.report_on_exception = false
        block.call
      end.value
    end
  end
end
