# frozen_string_literal: true

# Which database DATABASE_URL names. Loaded before Rails, as only that database's library is.
module Service
  URL = ENV["DATABASE_URL"].to_s

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
  end
end

# Active Record reads the variable itself, and calls its adapter for MariaDB after the driver.
ENV["DATABASE_URL"] = Service::URL.sub(/\Amysql:/, "mysql2:") if Service.relational?
