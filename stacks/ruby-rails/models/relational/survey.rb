# frozen_string_literal: true

class Survey < ApplicationRecord
  # MariaDB's JSON is a text with a constraint: the type is not seen in its column.
  attribute :answers, :json

  class << self
    def store(row)
      create!(row)
    end

    def store_all(rows)
      insert_all!(rows)
    end

    def replace(row)
      transaction(isolation: :read_committed) do
        same = where(row.slice(:survey, :user_number))
        create!(row) if same.update_all(answers: row[:answers]).zero?
      end
    end
  end
end
