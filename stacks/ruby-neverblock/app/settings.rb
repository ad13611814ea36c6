# frozen_string_literal: true

# What the environment says, with defaults for what it does not.
module Settings
  def self.integer(name, default)
    text = ENV[name].to_s
    return default if text.empty?

    Integer(text, 10).tap { |number| raise ArgumentError, "#{name} must be at least 1" unless number.positive? }
  end
  private_class_method :integer

  def self.text(name)
    text = ENV[name].to_s
    text unless text.empty?
  end
  private_class_method :text

  HOST = text("HOST") || "127.0.0.1"
  PORT = integer("PORT", 8080)
  DATABASE_URL = text("DATABASE_URL")
  CACHE_URL = text("CACHE_URL")
  UPSTREAM_URL = text("UPSTREAM_URL")
  PROCESSES = integer("WEB_CONCURRENCY", 1)
  # Requests at once in one process, and in all of them.
  REQUESTS_OF_PROCESS = integer("MAX_THREADS", 16)
  REQUESTS = integer("MAX_CONCURRENCY", PROCESSES * REQUESTS_OF_PROCESS)
  DATABASE_POOL = integer("DB_POOL", 16)
  UPSTREAM_POOL = integer("UPSTREAM_POOL", 16)
  # A fiber that runs for longer without waiting is reported; nil: none is.
  HOLD_LIMIT_MILLISECONDS = text("HOLD_LIMIT_MILLISECONDS")&.then { |limit| Integer(limit, 10) }
end
