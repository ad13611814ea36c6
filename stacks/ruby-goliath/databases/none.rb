# frozen_string_literal: true

module Databases
  class None
    def ping; end
  end
end
