# frozen_string_literal: true

# Units of work of five weights. Each returns the first count.
class Unit < ApplicationRecord
  def self.add
    create!(name: "unit", value: 0, label: "blue")
  end

  BY_WEIGHT = {
    "very-light" => -> { count },
    "light" => -> { count.tap { add } },
    "moderate" => lambda do
      first = nil
      transaction do
        first, = Array.new(2) { count }
        add
        raise ActiveRecord::Rollback
      end
      first
    end,
    "heavy" => lambda do
      transaction do
        first, = Array.new(3) { count }
        add.increment!(:value)
        first
      end
    end,
    "very-heavy" => lambda do
      transaction do
        first, = Array.new(3) { count }
        where(label: "red").count
        unit = add
        2.times { unit.increment!(:value) }
        first
      end
    end
  }.freeze
end
