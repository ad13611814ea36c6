# frozen_string_literal: true

# Queries without a table. Rails would answer the same query twice in a request from memory: here each is made.
module Query
  class << self
    def one
      value("SELECT 1")
    end

    def sleep(seconds)
      function = ApplicationRecord.connection.adapter_name == "PostgreSQL" ? "pg_sleep" : "SLEEP"
      value("SELECT #{function}(#{Float(seconds)})")
    end

    private

    def value(sql)
      ApplicationRecord.connection.then { |connection| connection.uncached { connection.select_value(sql) } }
    end
  end
end
