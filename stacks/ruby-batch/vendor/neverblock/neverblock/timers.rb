# frozen_string_literal: true

module NeverBlock
  # What is to be done at a time: a binary heap, the earliest first; of equal times, the one that was added first.
  # Adding and cancelling take O(log n), so that each read of a socket may have a time-out of its own.
  class Timers
    # An entry. It may be cancelled at any time, and more than once.
    class Timer
      attr_reader :at, :action
      attr_accessor :index

      def initialize(timers, at, number, action)
        @timers = timers
        @at = at
        @number = number
        @action = action
      end

      def cancel
        @timers.remove(self) if index
      end

      def before?(other)
        at < other.at || (at == other.at && number < other.number)
      end

      protected

      attr_reader :number
    end

    # Seconds of a clock that is never set.
    def self.now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def initialize
      @heap = []
      @added = 0
    end

    # Has the block called in so many seconds. Returns the timer.
    def after(seconds, &action)
      timer = Timer.new(self, Timers.now + seconds, @added += 1, action)
      place(timer, @heap.size)
      rise(timer)
      timer
    end

    # nil if there are no timers, 0 if one is due.
    def seconds_until_next
      first = @heap.first
      first && [first.at - Timers.now, 0].max
    end

    # Calls what is due, in order.
    def fire
      return if @heap.empty?

      now = Timers.now
      while (first = @heap.first) && first.at <= now
        remove(first)
        first.action.call
      end
    end

    def size
      @heap.size
    end

    # For Timer#cancel.
    def remove(timer)
      index = timer.index
      timer.index = nil
      last = @heap.pop
      return if last.equal?(timer)

      place(last, index)
      rise(last)
      sink(last)
    end

    private

    def place(timer, index)
      @heap[index] = timer
      timer.index = index
    end

    def rise(timer)
      while timer.index.positive?
        parent = @heap[(timer.index - 1) / 2]
        return unless timer.before?(parent)

        swap(timer, parent)
      end
    end

    def sink(timer)
      loop do
        left = (2 * timer.index) + 1
        child = @heap[left] || return
        right = @heap[left + 1]
        child = right if right&.before?(child)
        return unless child.before?(timer)

        swap(child, timer)
      end
    end

    # `upper` takes the place of `lower`, which is nearer to the root, and the other way about.
    def swap(upper, lower)
      index = lower.index
      place(lower, upper.index)
      place(upper, index)
    end
  end
end
