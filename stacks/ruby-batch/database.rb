# frozen_string_literal: true

require "uri"

# Connections to PostgreSQL or MariaDB, whose drivers let other threads run while they wait.
module Database
  def self.open
    url = URI(ENV.fetch("DATABASE_URL"))
    url.scheme == "postgresql" ? Postgresql.new(url) : Mariadb.new(url)
  end

  # PostgreSQL, by pg.
  class Postgresql
    def initialize(url)
      require "pg"
      @connection = PG.connect(url.to_s)
    end

    def one
      @connection.exec_params("SELECT 1", []).values
    end

    def sleep(seconds)
      @connection.exec_params("SELECT #{ENV.fetch("LONG_FUNCTION", "pg_sleep")}($1)", [seconds]).values
    end
  end

  # MariaDB, by mysql2.
  class Mariadb
    def initialize(url)
      require "mysql2"
      @connection = Mysql2::Client.new(
        host: url.host, port: url.port, database: url.path.delete_prefix("/"),
        username: URI.decode_www_form_component(url.user), password: URI.decode_www_form_component(url.password.to_s)
      )
    end

    def one
      @connection.query("SELECT 1").to_a
    end

    def sleep(seconds)
      @connection.query("SELECT #{ENV.fetch("LONG_FUNCTION", "SLEEP")}(#{Float(seconds)})").to_a
    end
  end
end
