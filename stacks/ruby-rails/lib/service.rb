# frozen_string_literal: true

# Which database DATABASE_URL names, and whether CACHE_URL names a cache. Loaded before Rails, as only that database's library is.
module Service
  URL = ENV["DATABASE_URL"].to_s
  CACHE_URL = ENV["CACHE_URL"].to_s

  MODELS = { "mysql" => "relational", "postgresql" => "relational", "mongodb" => "documents", "" => "without_database" }
           .freeze

  class << self
    def models
      scheme = URL[/\A[^:]*/]
      MODELS.fetch(scheme) { abort "ruby-rails: no database of kind #{scheme} is supported" }
    end

    def relational?
      models == "relational"
    end

    def none?
      URL.empty?
    end

    def documents?
      models == "documents"
    end

    def cache?
      return false if CACHE_URL.empty?

      CACHE_URL.start_with?("redis:") || abort("ruby-rails: CACHE_URL must begin with redis://")
    end
  end
end

# Active Record reads the variable itself, and calls its adapter for MariaDB after the driver.
ENV["DATABASE_URL"] = Service::URL.sub(/\Amysql:/, "mysql2:") if Service.relational?
