# frozen_string_literal: true

require_relative "requests"
require_relative "response"
require_relative "stream"

module NeverBlock
  module HTTP
    # A client's connection: its requests are answered one after the other, each in a fiber of its own, so that nothing
    # that one leaves in `Thread.current[...]` is seen by the next.
    class Connection
      LINGER_SECONDS = 1
      LINGER_BYTES = 1_048_576
      private_constant :LINGER_SECONDS, :LINGER_BYTES

      def initialize(server, socket, limits)
        @server = server
        @stream = Stream.new(socket, limits.write_seconds)
        @requests = Requests.new(@stream, limits)
      end

      # To be called in a task, which lives as long as the connection.
      def serve
        @task = Fiber.current
        serve_one while @keep.nil? || @keep
      rescue Refusal => refusal
        refuse(refusal.status)
      rescue SystemCallError, IOError
        nil # the client is gone, or late
      ensure
        @stream.close
      end

      # Ends it if it has no request.
      def finish
        @task.cancel if @idle
      end

      # Ends it, and the request that is being answered.
      def abort
        (@answering || @task).cancel
      end

      private

      def serve_one
        @keep = false
        @idle = true
        env = @requests.next { @idle = false } || return
        @answering = @server.task { answer(env) }
        @answering.resume
        @answering = nil
      end

      def answer(env)
        status, headers, body = @server.call(env)
        response = response_to(env, status, headers, body)
        kept = wants_keeping?(env) && !@server.finishing?
        @keep = response.write(@stream, keep: kept)
      rescue SystemCallError, IOError
        @keep = false # the client is gone, or late
      ensure
        body.close if body.respond_to?(:close)
      end

      def response_to(env, status, headers, body)
        Response.new(env, status, headers, body)
      rescue ArgumentError, TypeError => error
        Response.new(env, *@server.failed(env, error))
      end

      def wants_keeping?(env)
        wishes = env["HTTP_CONNECTION"].to_s.downcase
        env["SERVER_PROTOCOL"] == "HTTP/1.1" ? !wishes.match?(/\bclose\b/) : wishes.match?(/\bkeep-alive\b/)
      end

      def refuse(status)
        @stream.write(Response.refusal(status))
        @stream.linger(LINGER_SECONDS, LINGER_BYTES)
      rescue SystemCallError, IOError
        nil # the client is gone, or late
      end
    end
  end
end
