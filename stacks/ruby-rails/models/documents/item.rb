# frozen_string_literal: true

module Item
  # How a random item is picked: see the README. A pick of rows leaves this one as it is.
  PICK = ENV.fetch("PICK", "count")
  # So many documents are in a segment, at most.
  SEGMENT_LENGTH = 100
  # The published program drew the segment, too, from as many as a segment has documents.
  SEGMENTS = PICK == "as-published" ? SEGMENT_LENGTH : 10_000
  DRAWS = 10_000
  ANSWERED = { uuid: 1, name: 1, hash_code: 1, created_at: 1 }.freeze

  class << self
    def at_random
      PICK == "skip-all" ? skipped_to({}, items.count) : of_a_segment
    end

    def by_uuid(uuid)
      one({ uuid: uuid })
    end

    private

    # The first document that a draw hits; nil if none does.
    def of_a_segment
      DRAWS.times do
        segment = { segment: rand(SEGMENTS) }
        places = %w[retry as-published].include?(PICK) ? SEGMENT_LENGTH : items.count(segment)
        found = skipped_to(segment, places)
        return found if found
      end
      nil
    end

    # A random one of so many places.
    def skipped_to(filter, places)
      one(filter, skip: rand(places)) if places.positive?
    end

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
