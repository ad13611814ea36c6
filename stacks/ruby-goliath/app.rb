# frozen_string_literal: true

# The Rack application: a fiber for each request, and the API in it.

require "uri"
require_relative "lib/fiber_per_request"
require_relative "lib/api"

APP = Rack::Builder.app do
  use FiberPerRequest
  use Rack::ContentLength # without a length, Thin keeps no connection
  run Api
end
