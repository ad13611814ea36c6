# frozen_string_literal: true

module Database
  def self.ping; end
end
