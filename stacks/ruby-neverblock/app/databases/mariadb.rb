# frozen_string_literal: true

require "mysql2"
require "uri"
require_relative "../services"
require_relative "items"

module Databases
  # mysql2 by text queries, as Active Record uses it: its prepared statements wait inside the C library, which tells no
  # scheduler.
  class MariaDB
    include Items

    COLUMNS = "id, uuid, name, hash_code, created_at"
    READ_SECONDS = 30
    SLEEP = ENV.fetch("LONG_FUNCTION", "SLEEP")

    # A connection.
    class Connection
      def initialize(url)
        @client = Mysql2::Client.new(
          host: url.host, port: url.port || 3306, username: url.user, password: url.password,
          database: url.path.delete_prefix("/"), encoding: "utf8mb4", symbolize_keys: true, database_timezone: :utc,
          connect_timeout: Services::WAIT_SECONDS, read_timeout: READ_SECONDS
        )
      end

      def rows(sql)
        @client.query(sql).to_a
      end

      def value(sql)
        rows(sql).first&.first&.last
      end

      def escape(text)
        @client.escape(text)
      end

      def begin
        @client.query("BEGIN")
      end

      def commit
        @client.query("COMMIT")
      end

      def rollback
        @client.query("ROLLBACK")
      end

      def count_units
        value("SELECT count(*) AS count FROM units")
      end

      def count_red_units
        value("SELECT count(*) AS count FROM units WHERE label = 'red'")
      end

      # The new unit's id.
      def insert_unit
        @client.query("INSERT INTO units (name, value, label) VALUES ('unit', 0, 'blue')")
        @client.last_id
      end

      def increment_unit(id)
        @client.query("UPDATE units SET value = value + 1 WHERE id = #{Integer(id)}")
      end

      def close
        @client.close
      end
    end

    def initialize(url, pool_size)
      url = URI.parse(url)
      # After an error a connection is closed: mysql2 does not say whether it is in a transaction.
      @pool = NeverBlock::Pool.new(size: pool_size, wait_seconds: Services::WAIT_SECONDS) { Connection.new(url) }
    end

    def on_connection(&work)
      @pool.with(&work)
    end

    def ping
      one
    end

    def one
      value("SELECT 1 AS value")
    end

    def sleep(seconds)
      rows("SELECT #{SLEEP}(#{Float(seconds)})")
    end

    def item(uuid)
      with_time_as_text(@pool.with do |connection|
        connection.rows("SELECT #{COLUMNS} FROM items WHERE uuid = '#{connection.escape(uuid)}'").first
      end)
    end

    def articles
      rows("SELECT id, name, type, tags, description FROM articles")
    end

    def ratings
      rows("SELECT user_number, article_id FROM ratings")
    end

    def page_item(id)
      rows("SELECT name, uuid, description FROM items WHERE id = #{Integer(id)}").first
    end

    def names_before(id)
      rows("SELECT name FROM items WHERE id < #{Integer(id)} ORDER BY id DESC LIMIT 10").map { |row| row[:name] }
    end

    def category_count
      value("SELECT count(*) AS count FROM categories")
    end

    def category_names
      rows("SELECT name FROM categories ORDER BY id").map { |row| row[:name] }
    end

    private

    def item_bounds
      rows("SELECT min(id) AS first, max(id) AS last FROM items").first.values
    end

    def item_from(id)
      rows("SELECT #{COLUMNS} FROM items WHERE id >= #{Integer(id)} ORDER BY id LIMIT 1").first
    end

    def rows(sql)
      @pool.with { |connection| connection.rows(sql) }
    end

    def value(sql)
      @pool.with { |connection| connection.value(sql) }
    end
  end
end
