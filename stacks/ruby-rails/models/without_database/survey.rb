# frozen_string_literal: true

# Without a database, surveys are read, parsed, and gone.
module Survey
  class << self
    def store(_row); end

    def store_all(_rows); end

    def replace(_row); end
  end
end
