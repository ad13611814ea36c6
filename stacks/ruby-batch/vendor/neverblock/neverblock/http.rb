# frozen_string_literal: true

require_relative "../neverblock"
require_relative "http/server"

module NeverBlock
  # A server for Rack applications, with a fiber for each request.
  module HTTP
  end
end
