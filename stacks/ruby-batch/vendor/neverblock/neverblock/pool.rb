# frozen_string_literal: true

module NeverBlock
  # Connections that fibers, or threads, take and give back. They are opened when they are first needed, and the one
  # used last is taken first. Who waits longest is served first: a connection that is given back goes to that waiter,
  # and nobody can come before it.
  class Pool
    # All connections were in use for too long.
    class Exhausted < StandardError; end

    Waiter = Struct.new(:turn, :served, :connection)
    private_constant :Waiter

    # size:: the most connections that are open at once
    # wait_seconds:: how long `with` waits for a connection; nil: as long as it takes
    # keep_after_error:: is asked with a connection whose block did not end normally; unless it returns true, the
    #                    connection is closed, as nobody knows in which state it is
    # close:: closes a connection
    # The block opens one.
    def initialize(size:, wait_seconds: 5, keep_after_error: ->(_) { false }, close: ->(it) { it.close }, &open)
      raise ArgumentError, "a pool has at least one connection, not #{size}" unless size.positive?

      @size = size
      @wait_seconds = wait_seconds
      @keep_after_error = keep_after_error
      @close = close
      @open = open
      @idle = []
      @opened = 0
      @waiters = []
      @lock = Mutex.new
    end

    # Yields a connection that nobody else has meanwhile.
    #
    # Raises Exhausted if there is none in time, and whatever opening one raises.
    def with
      connection = take
      ended = false
      begin
        value = yield connection
        ended = true
        value
      ensure
        ended || keep?(connection) ? give_back(connection) : discard(connection)
      end
    end

    # Closes what is idle. What is in use is closed by nobody.
    def close
      @lock.synchronize do
        @opened -= @idle.size
        @idle.slice!(0..)
      end.each { |connection| close_quietly(connection) }
    end

    # For messages and tests: `{ size:, opened:, idle:, waiting: }`.
    def state
      @lock.synchronize { { size: @size, opened: @opened, idle: @idle.size, waiting: @waiters.size } }
    end

    private

    # An idle connection; or a new one, if there may be another; or the first that is given back.
    def take
      claim || begin
        @open.call
      rescue Exception # whatever it was, another may try
        @lock.synchronize { pass_on(nil) }
        raise
      end
    end

    # A connection, or nil: the right to open one.
    def claim
      @lock.synchronize do
        next @idle.pop unless @idle.empty?
        next wait_for_turn if @opened == @size

        @opened += 1
        nil
      end
    end

    def wait_for_turn
      waiter = Waiter.new(ConditionVariable.new, false, nil)
      @waiters << waiter
      wait(waiter)
      waiter.connection
    rescue Exception # such as a time-out: what came at the same moment is for the next
      @waiters.delete(waiter)
      pass_on(waiter.connection) if waiter.served
      raise
    end

    def wait(waiter)
      deadline = now + @wait_seconds if @wait_seconds
      until waiter.served
        left = deadline && (deadline - now)
        raise Exhausted, exhaustion if left && !left.positive?

        waiter.turn.wait(@lock, left)
      end
    end

    def exhaustion
      "no connection became free within #{@wait_seconds} s: all #{@size} are in use, and #{@waiters.size - 1} more wait"
    end

    # To the first waiter, or into the pool. nil: the right to open one.
    def pass_on(connection)
      waiter = @waiters.shift
      if waiter
        waiter.served = true
        waiter.connection = connection
        waiter.turn.signal
      elsif connection
        @idle.push(connection)
      else
        @opened -= 1
      end
    end

    def give_back(connection)
      @lock.synchronize { pass_on(connection) }
    end

    def discard(connection)
      close_quietly(connection)
    ensure
      @lock.synchronize { pass_on(nil) }
    end

    def keep?(connection)
      @keep_after_error.call(connection)
    rescue StandardError
      false
    end

    def close_quietly(connection)
      @close.call(connection)
    rescue StandardError
      nil # it was broken: that is why
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
