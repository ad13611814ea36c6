# frozen_string_literal: true

require "active_support"
require "active_support/execution_wrapper"

module NeverBlock
  # Rails 6.1 counts requests, and gives out connections, by thread. With this it does so by fiber. (Since Rails 7.0 that
  # is a setting: `config.active_support.isolation_level = :fiber`.) To be required when Rails is loaded.
  #
  # A fiber that an application creates itself, such as an Enumerator's, has a connection of its own, which it gives back
  # by `ActiveRecord::Base.clear_active_connections!`.
  module Rails
    # Replaces the hash from threads to the executions that run in them. Without it all requests of a thread pass for
    # one, and only the first gives its connection back.
    class ExecutionsByFiber
      def initialize
        @executions = {}.compare_by_identity
      end

      def key?(_thread)
        @executions.key?(Fiber.current)
      end

      def []=(_thread, execution)
        @executions[Fiber.current] = execution
      end

      def delete(_thread)
        @executions.delete(Fiber.current)
      end
    end

    # For ActiveSupport::ExecutionWrapper and the classes below it, of which each has executions of its own.
    module ExecutionPerFiber
      def active
        @active_by_fiber ||= ExecutionsByFiber.new
      end

      def active?
        active.key?(nil)
      end
    end

    # For Active Record's pools. Without it all fibers of a thread would share one connection.
    module ConnectionPerFiber
      private

      # "This hook-in method allows for easier monkey-patching fixes", as its comment says.
      def connection_cache_key(_thread)
        Fiber.current
      end
    end

    raise "neverblock/rails is for Rails 6.1" unless ActiveSupport.version.segments.first(2) == [6, 1]

    ActiveSupport::ExecutionWrapper.singleton_class.prepend(ExecutionPerFiber)
    ActiveRecord::ConnectionAdapters::ConnectionPool.prepend(ConnectionPerFiber) if defined?(ActiveRecord)
  end
end
