# frozen_string_literal: true

require "set"
require "socket"
require "timeout"
require_relative "connection"
require_relative "limits"

module NeverBlock
  module HTTP
    # An HTTP/1.1 server for Rack applications: keep-alive, pipelining, chunked bodies, limits on everything that a
    # client sends. To be used in a fiber of NeverBlock.run.
    class Server
      FAILED = [500, { "Content-Type" => "text/plain" }.freeze, ["Internal Server Error"].freeze].freeze
      TRY_AGAIN_SECONDS = 0.1
      REPORT = lambda do |env, error|
        warn "#{env['REQUEST_METHOD']} #{env['PATH_INFO']}: #{error.full_message(highlight: false)}"
      end
      private_constant :FAILED, :TRY_AGAIN_SECONDS, :REPORT

      # app:: the application
      # listener:: a TCPServer, which several processes may share
      # concurrency:: how many requests may be in the application at once; the others wait for their turn. nil: all
      # report_error:: is called with the environment and what the application raised, which is answered 500
      def initialize(app, listener, concurrency: nil, limits: Limits.new, report_error: REPORT)
        @app = app
        @listener = listener
        @limits = limits
        @report_error = report_error
        @places = Pool.new(size: concurrency, wait_seconds: nil, close: ->(_) {}) { :place } if concurrency
        @connections = Set.new.compare_by_identity
        @ended = Thread::Queue.new
      end

      # Begins to take connections, and returns.
      def start
        @acceptor = Fiber.schedule { accept_connections }
      end

      # Takes no more connections, ends those without a request and the others with their answer, and after so many
      # seconds those that are left.
      def stop(seconds)
        @finishing = true
        @acceptor.cancel
        @connections.each(&:finish)
        Timeout.timeout(seconds) { @ended.pop } unless @connections.empty?
      rescue Timeout::Error
        @connections.each(&:abort)
      end

      def finishing?
        @finishing
      end

      # For connections: what the application answers.
      def call(env)
        @places ? @places.with { @app.call(env) } : @app.call(env)
      rescue StandardError, ScriptError => error
        failed(env, error)
      end

      # For connections: the answer to a request whose application failed.
      def failed(env, error)
        @report_error.call(env, error)
        FAILED
      end

      # For connections: a fiber that is not started.
      def task(&block)
        Task.new(Fiber.scheduler, &block)
      end

      private

      # One connection in each turn of the loop, so that processes which share the listener share the connections, too.
      def accept_connections
        loop do
          @listener.wait_readable
          socket = @listener.accept_nonblock(exception: false)
          open(socket) unless socket == :wait_readable
        rescue Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM => error
          warn "no more connections: #{error.message}" unless @full
          @full = true
          sleep TRY_AGAIN_SECONDS
        rescue SystemCallError
          next # the client was gone before its turn came
        end
      ensure
        @listener.close
      end

      def open(socket)
        @full = false
        socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1) if socket.is_a?(TCPSocket)
        connection = Connection.new(self, socket, @limits)
        @connections << connection
        Fiber.schedule do
          connection.serve
        ensure
          @connections.delete(connection)
          @ended << true if @finishing && @connections.empty?
        end
      end
    end
  end
end
