# frozen_string_literal: true

module Item
  SEGMENTS = Integer(ENV.fetch("SEGMENTS", 10_000))
  DRAWS = 10_000
  # So many documents are in a segment, at most.
  SEGMENT_LENGTH = 100
  COUNTED = ENV.fetch("PICK", "count") == "count"
  ANSWERED = { uuid: 1, name: 1, hash_code: 1, created_at: 1 }.freeze

  class << self
    # A random document, the first that a draw hits; nil if none does.
    def at_random
      DRAWS.times do
        segment = { segment: rand(SEGMENTS) }
        places = COUNTED ? items.count(segment) : SEGMENT_LENGTH
        found = places.positive? && one(segment, skip: rand(places))
        return found if found
      end
      nil
    end

    def by_uuid(uuid)
      one({ uuid: uuid })
    end

    private

    def items
      Database[:items]
    end

    # A limit below 0 asks for a single batch: the server keeps no cursor open.
    def one(filter, **options)
      found = items.find(filter, projection: ANSWERED, limit: -1, **options).first
      found && answer(found)
    end

    def answer(document)
      id = document.delete("_id")
      { id: id }.merge!(document)
    end
  end
end
