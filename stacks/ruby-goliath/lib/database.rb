# frozen_string_literal: true

require "uri"

# The database that DATABASE_URL names. Its library alone is loaded.
url = URI.parse(ENV["DATABASE_URL"].to_s)
pool_size = Integer(ENV.fetch("DB_POOL", 16))
pick = ENV.fetch("PICK", "")

Database =
  case url.scheme
  when nil
    require_relative "../databases/none"
    Databases::None.new
  when "mysql"
    require_relative "../databases/mariadb"
    Databases::MariaDB.new(url, pool_size, pick)
  when "mongodb"
    require_relative "../databases/mongodb"
    Databases::MongoDB.new(url, pool_size, pick)
  when "redis"
    require_relative "../databases/redis"
    Databases::Redis.new(url)
  else
    abort "ruby-goliath: no database of kind #{url.scheme} is supported"
  end
