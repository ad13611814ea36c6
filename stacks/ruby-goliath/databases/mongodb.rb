# frozen_string_literal: true

require "em-synchrony"
require_relative "../lib/op_msg"

module Databases
  # Commands of the MongoDB protocol, over a pool of connections.
  class MongoDB
    # So many documents are in a segment, at most.
    SEGMENT_LENGTH = 100
    DRAWS = 10_000
    ANSWERED = { uuid: 1, name: 1, hash_code: 1, created_at: 1 }.freeze
    EMPTY = { id: nil, uuid: nil, name: nil, hash_code: nil, created_at: nil }.freeze

    # pick:: how a random item is picked: `retry`, `as-published`, or anything else for the default
    def initialize(url, pool_size, pick)
      @address = [url.host, url.port || 27_017]
      @name = url.path.delete_prefix("/")
      @login = [*[url.user, url.password].map { |part| URI.decode_www_form_component(part) }, @name] if url.user
      @pool_size = pool_size
      @pick = pick
      # The published program drew the segment, too, from as many as a segment has documents.
      @segments = pick == "as-published" ? SEGMENT_LENGTH : 10_000
    end

    def ping
      command(ping: 1)
    end

    # A random document of a random segment; nil if none is found.
    def random_item
      case @pick
      when "retry" then first_hit { SEGMENT_LENGTH }
      when "as-published" then with_count_unused
      else first_hit { |segment| count(segment) }
      end
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

    # The first document that a draw of a segment hits, and of a place among as many as the block says of the segment.
    def first_hit
      DRAWS.times do
        segment = { segment: rand(@segments) }
        places = yield segment
        found = places.positive? && one(segment, skip: rand(places))
        return found if found
      end
      nil
    end

    # Published mistakes: see the README.
    def with_count_unused
      segment = { segment: rand(@segments) }
      count(segment)
      one(segment, skip: rand(SEGMENT_LENGTH)) || EMPTY
    end

    def pool
      @pool ||= EM::Synchrony::ConnectionPool.new(size: @pool_size) { EM.connect(*@address, OpMsg, *@address, @login) }
    end

    def command(document)
      pool.command(document.merge("$db" => @name))
    end

    def count(filter)
      command(count: "items", query: filter)["n"]
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
