# frozen_string_literal: true

require "pg"
require_relative "../services"
require_relative "items"

module Databases
  # pg: each statement is prepared once on each connection.
  class PostgreSQL
    include Items

    COLUMNS = "id, uuid, name, hash_code, created_at"
    SQL = {
      one: "SELECT 1 AS value",
      sleep: "SELECT #{ENV.fetch("LONG_FUNCTION", "pg_sleep")}($1)",
      item_bounds: "SELECT min(id) AS first, max(id) AS last FROM items",
      item_from: "SELECT #{COLUMNS} FROM items WHERE id >= $1 ORDER BY id LIMIT 1",
      item: "SELECT #{COLUMNS} FROM items WHERE uuid = $1",
      count_units: "SELECT count(*) AS count FROM units",
      count_red_units: "SELECT count(*) AS count FROM units WHERE label = 'red'",
      insert_unit: "INSERT INTO units (name, value, label) VALUES ('unit', 0, 'blue') RETURNING id",
      increment_unit: "UPDATE units SET value = value + 1 WHERE id = $1",
      articles: "SELECT id, name, type, tags, description FROM articles",
      ratings: "SELECT user_number, article_id FROM ratings",
      page_item: "SELECT name, uuid, description FROM items WHERE id = $1",
      names_before: "SELECT name FROM items WHERE id < $1 ORDER BY id DESC LIMIT 10",
      category_count: "SELECT count(*) AS count FROM categories",
      category_names: "SELECT name FROM categories ORDER BY id"
    }.freeze

    # The types of what is read that is not a text, by PostgreSQL's number of the type.
    TYPES = PG::TypeMapByOid.new.tap do |types|
      [20, 21, 23].each { |oid| types.add_coder(PG::TextDecoder::Integer.new(oid: oid)) }
      types.add_coder(PG::TextDecoder::TimestampWithTimeZone.new(oid: 1184))
    end

    # A connection, with the statements that are prepared on it.
    class Connection
      def initialize(url)
        @connection = PG.connect(url, connect_timeout: Services::WAIT_SECONDS, options: "-c TimeZone=UTC")
        @connection.type_map_for_results = TYPES
        @prepared = {}
      end

      def rows(statement, *values)
        @connection.prepare(statement.name, SQL.fetch(statement)) unless @prepared[statement]
        @prepared[statement] = true
        @connection.exec_prepared(statement.name, values) { |result| result.field_names_as(:symbol).to_a }
      end

      def value(statement, *values)
        rows(statement, *values).first&.first&.last
      end

      def begin
        @connection.exec("BEGIN")
      end

      def commit
        @connection.exec("COMMIT")
      end

      def rollback
        @connection.exec("ROLLBACK")
      end

      %i[count_units count_red_units insert_unit].each do |statement|
        define_method(statement) { value(statement) }
      end

      def increment_unit(id)
        rows(:increment_unit, id)
      end

      # Whether it is in working order, and in no transaction or query.
      def idle?
        @connection.status == PG::CONNECTION_OK && @connection.transaction_status == PG::PQTRANS_IDLE
      end

      def close
        @connection.close
      end
    end

    def initialize(url, pool_size)
      @pool = NeverBlock::Pool.new(size: pool_size, wait_seconds: Services::WAIT_SECONDS,
                                   keep_after_error: :idle?.to_proc) { Connection.new(url) }
    end

    def on_connection(&work)
      @pool.with(&work)
    end

    def ping
      value(:one)
    end

    def one
      value(:one)
    end

    def sleep(seconds)
      rows(:sleep, seconds)
    end

    def item(uuid)
      with_time_as_text(rows(:item, uuid).first)
    end

    def articles
      rows(:articles)
    end

    def ratings
      rows(:ratings)
    end

    def page_item(id)
      rows(:page_item, id).first
    end

    def names_before(id)
      rows(:names_before, id).map { |row| row[:name] }
    end

    def category_count
      value(:category_count)
    end

    def category_names
      rows(:category_names).map { |row| row[:name] }
    end

    private

    def item_bounds
      rows(:item_bounds).first.values
    end

    def item_from(id)
      rows(:item_from, id).first
    end

    def rows(statement, *values)
      @pool.with { |connection| connection.rows(statement, *values) }
    end

    def value(statement, *values)
      @pool.with { |connection| connection.value(statement, *values) }
    end
  end
end
