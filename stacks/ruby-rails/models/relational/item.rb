# frozen_string_literal: true

class Item < ApplicationRecord
  # How a random item is picked: see the README. A pick of documents leaves this one as it is.
  PICK = ENV.fetch("PICK", "bounds-kept")
  DRAWS = 10_000

  scope :answered, -> { select(:id, :uuid, :name, :hash_code, :created_at) }

  # The ten items before it, the nearest first.
  def preceding
    self.class.where("id < ?", id).order(id: :desc).limit(10)
  end

  class << self
    def at_random
      case PICK
      when "bounds-each-time", "as-published" then at_or_after(rand(minimum(:id)..maximum(:id)))
      when "retry" then hit
      when "random-sort" then first_of_shuffled
      else at_or_after(rand(ids))
      end
    end

    def by_uuid(uuid)
      answered.find_by(uuid: uuid)
    end

    private

    def at_or_after(id)
      answered.where("id >= ?", id).order(:id).first
    end

    # The first item that a draw of an id hits; nil if none does.
    def hit
      DRAWS.times do
        found = answered.find_by(id: rand(ids))
        return found if found
      end
      nil
    end

    def first_of_shuffled
      answered.order(Arel.sql(connection.adapter_name == "PostgreSQL" ? "RANDOM()" : "RAND()")).first
    end

    # The range of the ids, read once.
    def ids
      @ids ||= begin
        first, last = unscoped.pick(Arel.sql("min(id)"), Arel.sql("max(id)"))
        first..last
      end
    end
  end
end
