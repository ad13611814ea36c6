# frozen_string_literal: true

require_relative "../neverblock/lib/neverblock/pool"

# The database, the cache and the upstream that the environment names; nil for what it does not. A library is loaded
# only if it is needed, and nothing is connected before the first request, which is GET /health.
module Services
  # The route needs a service that the environment does not name.
  class Missing < StandardError; end

  # The upstream did not answer, or not in time.
  class UpstreamFailed < StandardError; end

  WAIT_SECONDS = 10 # for a connection of a pool, and for a server

  def self.database(url, pool_size)
    case scheme(url)
    when nil then nil
    when "postgresql"
      require_relative "databases/postgresql"
      Databases::PostgreSQL.new(url, pool_size)
    when "mysql"
      require_relative "databases/mariadb"
      Databases::MariaDB.new(url, pool_size)
    else abort "ruby-neverblock: DATABASE_URL must begin with postgresql:// or mysql://"
    end
  end

  def self.cache(url, pool_size)
    case scheme(url)
    when nil then nil
    when "redis"
      require_relative "databases/redis_cache"
      Databases::RedisCache.new(url, pool_size)
    else abort "ruby-neverblock: CACHE_URL must begin with redis://"
    end
  end

  def self.upstream(url, pool_size)
    return unless url

    require_relative "upstream"
    Upstream.new(url, pool_size)
  end

  def self.scheme(url)
    url && url[/\A[^:]*/]
  end
  private_class_method :scheme
end
