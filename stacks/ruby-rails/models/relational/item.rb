# frozen_string_literal: true

class Item < ApplicationRecord
  scope :answered, -> { select(:id, :uuid, :name, :hash_code, :created_at) }

  # The ten items before it, the nearest first.
  def preceding
    self.class.where("id < ?", id).order(id: :desc).limit(10)
  end

  class << self
    # The first item at or after a random id.
    def at_random
      answered.where("id >= ?", rand(ids)).order(:id).first
    end

    def by_uuid(uuid)
      answered.find_by(uuid: uuid)
    end

    private

    # The range of the ids, read once.
    def ids
      @ids ||= begin
        first, last = unscoped.pick(Arel.sql("min(id)"), Arel.sql("max(id)"))
        first..last
      end
    end
  end
end
