# frozen_string_literal: true

require_relative "../once"

module Databases
  # What reading items has in common. Whoever includes it has `item_bounds` ([first, last]) and `item_from(id)`.
  module Items
    # The first item at or after a random id.
    def random_item
      @ids ||= Once.new do
        first, last = item_bounds
        first..last
      end
      with_time_as_text(item_from(rand(@ids.value)))
    end

    private

    # The time as answers have it: UTC, to the second.
    def with_time_as_text(item)
      item && { **item, created_at: item[:created_at].getutc.strftime("%FT%TZ") }
    end
  end
end
