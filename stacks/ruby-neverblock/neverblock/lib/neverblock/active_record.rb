# frozen_string_literal: true

require "active_record"

module NeverBlock
  # Active Record 6.1 keeps a connection for each thread, so that all fibers would share one. With this it keeps one for
  # each fiber. Rails gives it back when the request ends. (Since 7.0: `config.active_support.isolation_level = :fiber`.)
  #
  # A fiber that an application creates itself, such as an Enumerator's, has a connection of its own, which it gives back
  # by `ActiveRecord::Base.clear_active_connections!`.
  module ConnectionPerFiber
    private

    # "This hook-in method allows for easier monkey-patching fixes", as its comment says.
    def connection_cache_key(_thread)
      Fiber.current
    end
  end

  raise "neverblock/active_record is for Active Record 6.1" unless ActiveRecord.version.segments.first(2) == [6, 1]

  ActiveRecord::ConnectionAdapters::ConnectionPool.prepend(ConnectionPerFiber)
end
