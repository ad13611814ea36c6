# frozen_string_literal: true

require_relative "../../lib/batches"

# The surveys that wait to be stored together, in this process.
module SurveyBatches
  BATCHES = Batches.new(Integer(ENV.fetch("BATCH_SIZE", 8))) { |rows| Survey.store_all(rows) }

  def self.add(row)
    BATCHES.add(row)
  end
end
