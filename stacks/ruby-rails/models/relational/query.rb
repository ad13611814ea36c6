# frozen_string_literal: true

# Queries without a table. Rails would answer the same query twice in a request from memory: here each is made.
module Query
  class << self
    def one
      value("SELECT 1")
    end

    def sleep(seconds)
      function = ENV.fetch("LONG_FUNCTION") { postgresql? ? "pg_sleep" : "SLEEP" }
      value("SELECT #{function}(#{Float(seconds)})")
    end

    private

    def postgresql?
      ApplicationRecord.connection.adapter_name == "PostgreSQL"
    end

    def value(sql)
      ApplicationRecord.connection.then { |connection| connection.uncached { connection.select_value(sql) } }
    end
  end
end
