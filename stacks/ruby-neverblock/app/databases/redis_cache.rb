# frozen_string_literal: true

require "redis"
require_relative "../services"

module Databases
  # The redis gem with its own driver, written in Ruby.
  class RedisCache
    def initialize(url, pool_size)
      seconds = Services::WAIT_SECONDS
      @pool = NeverBlock::Pool.new(size: pool_size, wait_seconds: seconds) { Redis.new(url: url, timeout: seconds) }
    end

    def ping
      @pool.with(&:ping)
    end

    # UTF-8, or nil.
    def get(key)
      @pool.with { |redis| redis.get(key) }&.force_encoding(Encoding::UTF_8)
    end

    def put(key, value, seconds)
      @pool.with { |redis| redis.set(key, value, ex: seconds) }
    end
  end
end
