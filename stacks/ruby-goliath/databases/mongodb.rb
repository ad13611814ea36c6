# frozen_string_literal: true

require "em-synchrony"
require_relative "../lib/op_msg"

module Databases
  # Commands of the MongoDB protocol, over a pool of connections.
  class MongoDB
    SEGMENTS = 10_000
    DRAWS = 10_000
    ANSWERED = { uuid: 1, name: 1, hash_code: 1, created_at: 1 }.freeze

    def initialize(url, pool_size)
      @address = [url.host, url.port || 27_017]
      @name = url.path.delete_prefix("/")
      @pool_size = pool_size
    end

    def ping
      command(ping: 1)
    end

    # A random document of a random segment, the first drawn that has any; nil if none is found.
    def random_item
      DRAWS.times do
        segment = { segment: rand(SEGMENTS) }
        count = command(count: "items", query: segment)["n"]
        found = count.positive? && one(segment, skip: rand(count))
        return found if found
      end
      nil
    end

    def item(uuid)
      one({ uuid: uuid })
    end

    def categories
      find("categories", sort: { _id: 1 }, batchSize: 1000, singleBatch: true).map do |document|
        { id: document["_id"], **document.slice("name", "slug", "description").transform_keys(&:to_sym) }
      end
    end

    private

    def pool
      @pool ||= EM::Synchrony::ConnectionPool.new(size: @pool_size) { EM.connect(*@address, OpMsg, *@address) }
    end

    def command(document)
      pool.command(document.merge("$db" => @name))
    end

    def find(collection, **options)
      command({ find: collection, **options })["cursor"]["firstBatch"]
    end

    def one(filter, **options)
      found = find("items", filter: filter, projection: ANSWERED, limit: 1, singleBatch: true, **options).first
      return unless found

      id, time = found.values_at("_id", "created_at")
      { id: id, **found.slice("uuid", "name", "hash_code").transform_keys(&:to_sym), created_at: time.utc.strftime("%FT%TZ") }
    end
  end
end
