# frozen_string_literal: true

# A bare HTTP server with a thread for each connection. It shares a listening socket among WEB_CONCURRENCY processes.

require "redis"
require "socket"
require_relative "connection"
require_relative "pool"
require_relative "processes"

DRAIN_SECONDS = 3

def serve(listener)
  signals = Queue.new
  %w[TERM INT].each { |signal| trap(signal) { signals << signal } }

  redis = redis_pool
  accepting = Thread.new { accept(listener, redis) }
  accepting.abort_on_exception = true
  signals.pop
  accepting.kill
  Connection.finish(DRAIN_SECONDS)
end

def accept(listener, redis)
  loop do
    socket = listener.accept
    Thread.new { Connection.new(socket, redis).serve }
  rescue Errno::ECONNABORTED
    next # the client was gone before its turn came
  end
end

def redis_pool
  url = ENV.fetch("DATABASE_URL") { return nil }
  Pool.new(Integer(ENV.fetch("DB_POOL", 16))) { Redis.new(url: url, timeout: 10) }
end

listener = TCPServer.new(ENV.fetch("HOST", "127.0.0.1"), Integer(ENV.fetch("PORT", 8080)))
listener.listen(4096)
Processes.run(Integer(ENV.fetch("WEB_CONCURRENCY", 1))) { serve(listener) }
