# frozen_string_literal: true

require "stringio"
require "uri"
require "puma/puma_http11"
require_relative "body"
require_relative "refusal"

module NeverBlock
  module HTTP
    # The requests of one connection, one after the other, each as Rack's environment. Puma's parser reads the heads.
    class Requests
      BASE = {
        "rack.version" => [1, 3].freeze,
        "rack.url_scheme" => "http",
        "rack.multithread" => true, # other requests run while one waits
        "rack.multiprocess" => true,
        "rack.run_once" => false,
        "rack.hijack?" => false,
        "SCRIPT_NAME" => "",
        "QUERY_STRING" => "",
        "SERVER_SOFTWARE" => "neverblock"
      }.freeze
      private_constant :BASE

      def initialize(stream, limits)
        @stream = stream
        @limits = limits
        @parser = Puma::HttpParser.new
        @address = stream.client_address
      end

      # The next request, nil if the client has closed. Yields when its first byte is there.
      #
      # Raises Refusal, and Stream::Late or EOFError where there is nobody to answer.
      def next
        return unless begun?

        yield
        env = head
        finish_head(env)
        env["rack.input"] = StringIO.new(Body.read(@stream, env, @limits)).binmode
        env
      end

      private

      def begun?
        deadline = Timers.now + @limits.idle_seconds
        loop do
          # An empty line before a request is dropped, as RFC 9112 wants it (section 2.2).
          @stream.buffer.delete_prefix!("\r\n")
          return true if @stream.buffer.bytesize > 1 || (@stream.buffer.bytesize == 1 && @stream.buffer != "\r")
          return false unless @stream.fill(deadline)
        end
      end

      def head
        env = BASE.dup
        @parser.reset
        parsed = 0
        deadline = Timers.now + @limits.head_seconds
        loop do
          parsed = @parser.execute(env, @stream.buffer, parsed)
          break if @parser.finished?
          raise Refusal, 431 if @stream.buffer.bytesize > @limits.head_bytes
          raise EOFError unless @stream.fill(deadline)
        end
        raise Refusal, 431 if parsed > @limits.head_bytes

        @stream.buffer = @parser.body
        env
      rescue Puma::HttpParserError
        raise Refusal, 400
      end

      def finish_head(env)
        # Header names with a comma are what Puma's parser makes of underscores, which could pass for hyphens.
        env.delete_if { |name, _| name.include?(",") }
        env["SERVER_PROTOCOL"] ||= env["HTTP_VERSION"]
        env["PATH_INFO"] = path(env)
        env["SERVER_NAME"], env["SERVER_PORT"] = host(env)
        env["REMOTE_ADDR"] = @address
        env["rack.errors"] = $stderr
      end

      def path(env)
        path = env["REQUEST_PATH"] || absolute_target(env)
        path.start_with?("/") ? path : raise(Refusal, 400)
      end

      # "GET http://host/path": what clients send to proxies, and servers must take.
      def absolute_target(env)
        target = URI.parse(env["REQUEST_URI"])
        env["QUERY_STRING"] = target.query.to_s
        target.path.to_s.empty? ? "/" : target.path
      rescue URI::Error
        raise Refusal, 400
      end

      def host(env)
        host = env["HTTP_HOST"]
        raise Refusal, 400 if host ? host.include?(",") : env["SERVER_PROTOCOL"] == "HTTP/1.1"

        name, port = host.to_s.split(/:(?=\d*\z)/, 2) # an IPv6 address has colons of its own
        [name || "localhost", port.to_s.empty? ? "80" : port]
      end
    end
  end
end
