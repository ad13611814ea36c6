# frozen_string_literal: true

# The application on async and async-http: a fiber for each request under another scheduler. WEB_CONCURRENCY processes
# share a listening socket.

require "async"
require "async/http/body/writable"
require "async/http/endpoint"
require "async/http/server"
require "async/io/shared_endpoint"
require "async/semaphore"
require "rack"
require "stringio"
require_relative "processes"
require_relative "../app/settings"

# Rack's environment for a request of async-http, and its response for what the application returns.
class RackAdapter
  LARGEST_BODY_BYTES = 1_048_576

  def initialize(app, requests_at_once)
    @app = app
    @places = Async::Semaphore.new(requests_at_once)
  end

  def call(request)
    body = read(request) || (return Protocol::HTTP::Response[413, {}, []])
    env = environment(request, body)
    status, headers, parts = @places.acquire { @app.call(env) }
    # Its server gives the length itself.
    parts = written(parts) unless parts.is_a?(Array)
    Protocol::HTTP::Response[status, headers.except("Content-Length"), parts]
  end

  private

  def read(request)
    body = "".b
    request.body&.each do |part|
      body << part
      return nil if body.bytesize > LARGEST_BODY_BYTES
    end
    body
  end

  # A body that a task writes while it is sent.
  def written(parts)
    body = Async::HTTP::Body::Writable.new
    Async do
      parts.each { |part| body.write(part) }
    rescue Async::HTTP::Body::Writable::Closed, SystemCallError, IOError
      nil # the client is gone
    ensure
      body.close
    end
    body
  end

  def environment(request, body)
    path, query = request.path.split("?", 2)
    env = {
      "REQUEST_METHOD" => request.method, "SCRIPT_NAME" => "", "PATH_INFO" => path, "QUERY_STRING" => query.to_s,
      "SERVER_NAME" => Settings::HOST, "SERVER_PORT" => Settings::PORT.to_s, "HTTP_HOST" => request.authority,
      "SERVER_PROTOCOL" => request.version, "rack.version" => [1, 3], "rack.input" => StringIO.new(body),
      "rack.errors" => $stderr, "rack.url_scheme" => "http", "rack.multithread" => true, "rack.multiprocess" => true,
      "rack.run_once" => false
    }
    request.headers.each { |name, value| env["HTTP_#{name.upcase.tr('-', '_')}"] = value }
    env
  end
end

def serve(app, listener)
  signals, writer = IO.pipe
  %w[TERM INT].each { |signal| trap(signal) { writer.write_nonblock("\n", exception: false) } }

  adapter = RackAdapter.new(app, Settings::REQUESTS_OF_PROCESS)
  server = Async::HTTP::Server.new(adapter, listener, protocol: Async::HTTP::Protocol::HTTP1, scheme: "http")
  Async do |task|
    server.run
    signals.gets
    task.reactor.stop
  end
end

Console.logger.warn!
app, = Rack::Builder.parse_file("config.ru")
endpoint = Async::HTTP::Endpoint.parse("http://#{Settings::HOST}:#{Settings::PORT}")
listener = Async { Async::IO::SharedEndpoint.bound(endpoint, backlog: 4096) }.wait
Processes.run(Settings::PROCESSES) { serve(app, listener) }
