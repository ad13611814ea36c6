# frozen_string_literal: true

# The job `transaction-batch`: units of work of one weight through Active Record, shared out over as many tasks as
# connections.

require "active_record"
# Active Record gives out connections by thread; tasks that share a thread and wait need one each.
require_relative "vendor/neverblock/neverblock/rails" if defined?(NeverBlock)

pool = Integer(ENV.fetch("DB_POOL", 16))
# Its adapter for MariaDB is called after the driver.
ActiveRecord::Base.establish_connection("#{ENV.fetch('DATABASE_URL').sub(/\Amysql:/, 'mysql2:')}?pool=#{pool}")

class Unit < ActiveRecord::Base
  def self.add
    create!(name: "unit", value: 0, label: "blue")
  end
end

WEIGHTS = {
  "very-light" => -> { Unit.count },
  "light" => lambda do
    Unit.count
    Unit.add
  end,
  "moderate" => lambda do
    Unit.transaction do
      2.times { Unit.count }
      Unit.add
      raise ActiveRecord::Rollback
    end
  end,
  "heavy" => lambda do
    Unit.transaction do
      3.times { Unit.count }
      Unit.add.increment!(:value)
    end
  end,
  "very-heavy" => lambda do
    Unit.transaction do
      3.times { Unit.count }
      Unit.where(label: "red").count
      unit = Unit.add
      2.times { unit.increment!(:value) }
    end
  end
}.freeze

work = WEIGHTS.fetch(ENV.fetch("WEIGHT"))
units = Queue.new([work] * Integer(ENV.fetch("UNITS"))).close

Tasks.run(pool) do
  # Once for each task: whenever a connection is taken, Active Record asks the database whether it is still alive.
  ActiveRecord::Base.connection_pool.with_connection do
    while (unit = units.pop)
      unit.call
    end
  end
end
