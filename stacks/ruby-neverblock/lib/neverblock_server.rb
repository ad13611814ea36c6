# frozen_string_literal: true

# The application on the library in neverblock/: a fiber for each request, WEB_CONCURRENCY processes that share a
# listening socket.

require "rack"
require_relative "processes"
require_relative "../app/settings"
require_relative "../neverblock/lib/neverblock/http"

DRAIN_SECONDS = 3

def serve(app, listener)
  signals, writer = IO.pipe
  %w[TERM INT].each { |signal| trap(signal) { writer.write_nonblock("\n", exception: false) } }

  NeverBlock.run(hold_limit_milliseconds: Settings::HOLD_LIMIT_MILLISECONDS) do
    server = NeverBlock::HTTP::Server.new(app, listener, concurrency: Settings::REQUESTS_OF_PROCESS)
    server.start
    signals.gets
    server.stop(DRAIN_SECONDS)
  end
end

app, = Rack::Builder.parse_file("config.ru")
listener = TCPServer.new(Settings::HOST, Settings::PORT)
listener.listen(4096)
Processes.run(Settings::PROCESSES) { serve(app, listener) }
