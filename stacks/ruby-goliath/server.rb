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

told = false
%w[TERM INT].each { |signal| trap(signal) { told = true } }

EM.run do
  server.start
  looking = EM.add_periodic_timer(LOOK_EVERY_SECONDS) do
    next unless told

    looking.cancel
    EM.add_timer(DRAIN_SECONDS) { EM.stop }
    EM.add_periodic_timer(LOOK_EVERY_SECONDS) { EM.stop if server.backend.empty? }
    server.stop
  end
end
