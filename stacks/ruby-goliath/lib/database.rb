# frozen_string_literal: true

require "uri"

# The database that DATABASE_URL names. Its library alone is loaded.
url = URI.parse(ENV["DATABASE_URL"].to_s)
pool_size = Integer(ENV.fetch("DB_POOL", 16))
pick = ENV.fetch("PICK", "")

database =
  case url.scheme
  when nil
    require_relative "../databases/none"
    Databases::None.new
  when "mysql"
    if %w[active-record as-published].include?(pick)
      require_relative "../databases/records"
      Databases::Records.new(url, pool_size)
    else
      require_relative "../databases/mariadb"
      Databases::MariaDB.new(url, pool_size, pick)
    end
  when "mongodb"
    require_relative "../databases/mongodb"
    Databases::MongoDB.new(url, pool_size, pick)
  when "redis"
    require_relative "../databases/redis"
    Databases::Redis.new(url)
  else
    abort "ruby-goliath: no database of kind #{url.scheme} is supported"
  end

if pick == "as-published"
  require_relative "rendered"
  database = Rendered.new(database)
end

Database = database
