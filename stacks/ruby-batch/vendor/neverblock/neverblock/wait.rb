# frozen_string_literal: true

module NeverBlock
  # One suspension of one fiber. What finishes it first decides how it ends; whatever comes later finds it finished.
  class Wait
    attr_reader :fiber, :events, :value, :error

    # events:: IO::READABLE, IO::WRITABLE or both, for a descriptor
    # unblockable:: whether Scheduler#unblock ends it
    def initialize(fiber, events: nil, unblockable: false)
      @fiber = fiber
      @events = events
      @unblockable = unblockable
    end

    def unblockable?
      @unblockable
    end

    def finished?
      @finished
    end

    # The fiber goes on with this value, or with this error raised.
    def finish(value, error = nil)
      @value = value
      @error = error
      @finished = true
    end
  end
end
