# frozen_string_literal: true

# Units of work of five weights, each on one connection, one statement after the other. Each returns the first count.
module Units
  VERY_LIGHT = ->(connection) { connection.count_units }

  LIGHT = lambda do |connection|
    connection.count_units.tap { connection.insert_unit }
  end

  MODERATE = lambda do |connection|
    connection.begin
    count = connection.count_units
    connection.count_units
    connection.insert_unit
    connection.rollback
    count
  end

  HEAVY = lambda do |connection|
    connection.begin
    count = connection.count_units
    2.times { connection.count_units }
    connection.increment_unit(connection.insert_unit)
    connection.commit
    count
  end

  VERY_HEAVY = lambda do |connection|
    connection.begin
    count = connection.count_units
    2.times { connection.count_units }
    connection.count_red_units
    id = connection.insert_unit
    2.times { connection.increment_unit(id) }
    connection.commit
    count
  end

  BY_WEIGHT = {
    "very-light" => VERY_LIGHT, "light" => LIGHT, "moderate" => MODERATE, "heavy" => HEAVY, "very-heavy" => VERY_HEAVY
  }.freeze
end
