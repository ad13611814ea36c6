# frozen_string_literal: true

require "nio"

module NeverBlock
  # The descriptors for which fibers wait, over epoll: as many as the system allows, and the cost of a look does not
  # grow with them. Several fibers may wait for one descriptor.
  #
  # nio4r brings libev. Its time-outs have a resolution of 1 ms and never end early.
  class Descriptors
    INTERESTS = { IO::READABLE => :r, IO::WRITABLE => :w, IO::READABLE | IO::WRITABLE => :rw }.freeze
    EVENTS = INTERESTS.invert.freeze
    private_constant :INTERESTS, :EVENTS

    # The block is called with each wait for a file that has been closed, as soon as its number is another's. Ruby 3.1
    # does not tell a scheduler that a file was closed.
    def initialize(&lost)
      @lost = lost
      @selector = NIO::Selector.new(:epoll)
      @monitors = {} # by descriptor; the value of each is the list of its waits
    end

    # Watches `io` for a wait with events. Returns what `remove` takes.
    def add(io, wait)
      descriptor = io.fileno
      monitor = @monitors[descriptor]
      if monitor&.io&.closed?
        monitor.value.each(&@lost)
        @monitors.delete(descriptor).close
        monitor = nil
      end
      if monitor
        monitor.value << wait
        watch(monitor)
      else
        @monitors[descriptor] = @selector.register(io, INTERESTS.fetch(wait.events)).tap { |new| new.value = [wait] }
      end
      descriptor
    end

    def remove(descriptor, wait)
      monitor = @monitors[descriptor]
      return unless monitor&.value&.delete(wait)

      if monitor.value.empty?
        @monitors.delete(descriptor)
        monitor.close
      else
        watch(monitor)
      end
    end

    # Waits until a descriptor is ready, `wake` is called or so many seconds have passed (nil: no limit). Yields each
    # wait whose descriptor is ready, with the events.
    def poll(seconds)
      @selector.select(seconds)&.each do |monitor|
        next monitor.value.each(&@lost) if monitor.io.closed?

        ready = EVENTS[monitor.readiness] || next
        monitor.value.each do |wait|
          events = ready & wait.events
          yield wait, events if events.positive?
        end
      end
    end

    # Ends `poll`, from any thread.
    def wake
      @selector.wakeup
    end

    def close
      @selector.close
    end

    private

    def watch(monitor)
      monitor.interests = INTERESTS.fetch(monitor.value.map(&:events).reduce(:|))
    end
  end
end
