# frozen_string_literal: true

# A bare HTTP server on EventMachine. It shares a listening socket among WEB_CONCURRENCY processes.

require "eventmachine"
require "socket"
require "uri"
$VERBOSE = nil # em-redis repeats keys of a hash
require "em-redis"
require_relative "connection"
require_relative "processes"

CONNECTIONS = [8192, Process.getrlimit(:NOFILE).last].min
DRAIN_SECONDS = 3
LOOK_EVERY_SECONDS = 0.05

def serve(listener)
  told = false
  %w[TERM INT].each { |signal| trap(signal) { told = true } }

  EM.epoll
  EM.set_descriptor_table_size(CONNECTIONS)
  EM.run do
    server = EM.attach_server(listener, Connection, redis)
    looking = EM.add_periodic_timer(LOOK_EVERY_SECONDS) do
      next unless told

      looking.cancel
      EM.stop_server(server)
      EM.add_timer(DRAIN_SECONDS) { EM.stop }
      Connection.finish { EM.stop }
    end
  end
end

# One connection, on which commands are sent without waiting for earlier answers.
def redis
  url = URI.parse(ENV.fetch("DATABASE_URL") { return nil })
  abort "ruby-eventmachine: DATABASE_URL must begin with redis://" unless url.scheme == "redis"
  EM::Protocols::Redis.connect(
    host: url.host, port: url.port || 6379, db: url.path.delete_prefix("/").to_i, password: url.password
  )
end

listener = TCPServer.new(ENV.fetch("HOST", "127.0.0.1"), Integer(ENV.fetch("PORT", 8080)))
listener.listen(4096)
Processes.run(Integer(ENV.fetch("WEB_CONCURRENCY", 1))) { serve(listener) }
