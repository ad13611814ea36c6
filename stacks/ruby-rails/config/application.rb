# frozen_string_literal: true

require "securerandom"
require_relative "../lib/service"
require "rails"
require "active_support/json" # before the configuration, which would set nothing otherwise
require "action_controller/railtie"
require "active_record/railtie" if Service.relational?
require "mongo" if Service.documents?
require_relative "../lib/body_limit"
require_relative "../lib/started"

module RubyRails
  class Application < Rails::Application
    config.root = File.expand_path("..", __dir__)
    config.load_defaults 6.1
    config.api_only = true
    config.eager_load = true
    config.cache_classes = true
    config.consider_all_requests_local = false

    # Each kind of database has its own models, with the same names and the same methods.
    config.paths.add "models/#{Service.models}", eager_load: true

    # Nothing is signed or encrypted, but production wants a key.
    config.secret_key_base = SecureRandom.hex(64)

    # One connection of a process, which its threads share: a pool takes another library.
    config.cache_store = :redis_cache_store, { url: Service::CACHE_URL } if Service.cache?

    config.logger = ActiveSupport::Logger.new($stderr)
    config.log_level = ENV.fetch("LOG_LEVEL", "warn").to_sym

    # Compact JSON that is compared byte by byte, and times to the second.
    config.active_support.escape_html_entities_in_json = false
    config.active_support.time_precision = 0

    config.middleware.insert_before 0, BodyLimit, 65_536
    # Thin keeps a connection only where an answer's length is given.
    config.middleware.insert_before 0, Rack::ContentLength
  end
end
