# frozen_string_literal: true

module Database
  def self.ping
    ActiveRecord::Base.connection.execute("SELECT 1")
  end
end
