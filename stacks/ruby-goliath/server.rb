# frozen_string_literal: true

# Starts the server: Thin, on EventMachine, in one process.

require "logger"
require "thin"
require_relative "app"

CONNECTIONS = [8192, Process.getrlimit(:NOFILE).last].min
DRAIN_SECONDS = 3
LOOK_EVERY_SECONDS = 0.05

ENV["RACK_ENV"] = "production"
Thin::Logging.logger = Logger.new($stderr, level: Logger::WARN)

server = Thin::Server.new(ENV.fetch("HOST", "127.0.0.1"), Integer(ENV.fetch("PORT", 8080)), APP, signals: false)
server.maximum_connections = CONNECTIONS
server.maximum_persistent_connections = CONNECTIONS
server.timeout = 65
server.config

stopping = false
%w[TERM INT].each { |signal| trap(signal) { stopping = true } }

EM.run do
  server.start
  EM.add_periodic_timer(LOOK_EVERY_SECONDS) do
    if stopping && server.running?
      EM.add_timer(DRAIN_SECONDS) { EM.stop }
      server.stop
    end
    EM.stop if stopping && server.backend.empty?
  end
end
