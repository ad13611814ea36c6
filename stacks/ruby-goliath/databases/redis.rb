# frozen_string_literal: true

require "em-redis"
require "fiber"

module Databases
  # em-redis: one connection, on which commands are sent without waiting for earlier answers.
  class Redis
    def initialize(url)
      @options = { host: url.host, port: url.port || 6379, db: url.path.delete_prefix("/").to_i, password: url.password }
    end

    def ping
      ask(:ping)
    end

    def link(key)
      ask(:get, "link:#{key}")
    end

    private

    def connection
      @connection ||= EM::Protocols::Redis.connect(@options)
    end

    def ask(*command)
      fiber = Fiber.current
      connection.call_command(command) { |reply| fiber.resume(reply) }
      Fiber.yield
    end
  end
end
