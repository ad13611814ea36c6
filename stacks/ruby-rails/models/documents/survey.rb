# frozen_string_literal: true

module Survey
  class << self
    def store(row)
      surveys.insert_one(row)
    end

    def store_all(rows)
      surveys.insert_many(rows)
    end

    def replace(row)
      surveys.replace_one(row.slice(:survey, :user_number), row, upsert: true)
    end

    private

    def surveys
      Database[:surveys]
    end
  end
end
