# frozen_string_literal: true

require "grape"
require "json"
require_relative "database"

# The HTTP surface. Its code waits line by line, and never holds up the event loop.
class Api < Grape::API
  ELSEWHERE = "https://example.com/"
  KEY = /\A\d{1,20}\z/.freeze

  content_type :json, "application/json"
  content_type :txt, "text/plain"
  default_format :json
  # ActiveSupport, which Grape brings, would escape some characters.
  formatter :json, ->(object, _env) { JSON.generate(object) }

  helpers do
    def text(body)
      env["api.format"] = :txt
      content_type "text/plain"
      body
    end

    def found(item)
      item || error!("", 404)
    end

    def move(status, address)
      self.status(status)
      header "Location", address
      text ""
    end
  end

  get("health") do
    Database.ping
    text "ok"
  end

  get("plaintext") { text "Hello, World!" }

  get("items/random") { found Database.random_item }

  get("items/:uuid") { found Database.item(params[:uuid]) }

  get("categories") { Database.categories }

  get("links/:key") do
    address = Database.link(params[:key]) if KEY.match?(params[:key])
    address ? move(301, address) : move(302, ELSEWHERE)
  end
end
