# frozen_string_literal: true

require "em-synchrony"
require "em-synchrony/mysql2"

module Databases
  # Mysql2::EM in a pool of em-synchrony: a query yields the fiber until its result is there.
  class MariaDB
    ITEM = "SELECT id, uuid, name, hash_code, created_at FROM items"

    # pick:: `bounds-each-time` reads the bounds of the ids for each item; with any other they are read once
    def initialize(url, pool_size, pick)
      @url = url
      @pool_size = pool_size
      @keeps_bounds = pick != "bounds-each-time"
    end

    def ping
      rows("SELECT 1")
    end

    # The first item at or after a random id.
    def random_item
      bounds = @keeps_bounds ? ids : first_id..last_id
      item_of(rows("#{ITEM} WHERE id >= #{rand(bounds)} ORDER BY id LIMIT 1").first)
    end

    def item(uuid)
      item_of(pool.execute(false) { |client| client.query("#{ITEM} WHERE uuid = '#{client.escape(uuid)}'").first })
    end

    def categories
      rows("SELECT id, name, slug, description FROM categories ORDER BY id").to_a
    end

    private

    # Connected when they are first needed, and then kept.
    def pool
      @pool ||= EM::Synchrony::ConnectionPool.new(size: @pool_size) { connect }
    end

    def connect
      Mysql2::EM::Client.new(
        host: @url.host, port: @url.port, username: @url.user, password: @url.password,
        database: @url.path.delete_prefix("/"), encoding: "utf8mb4", symbolize_keys: true, database_timezone: :utc
      )
    end

    def rows(sql)
      pool.query(sql)
    end

    # The range of the ids, read once.
    def ids
      @ids ||= rows("SELECT min(id) AS first, max(id) AS last FROM items").first.then { |row| row[:first]..row[:last] }
    end

    def first_id
      rows("SELECT min(id) AS id FROM items").first[:id]
    end

    def last_id
      rows("SELECT max(id) AS id FROM items").first[:id]
    end

    def item_of(row)
      row && { **row, created_at: row[:created_at].strftime("%FT%TZ") }
    end
  end
end
