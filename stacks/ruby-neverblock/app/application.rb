# frozen_string_literal: true

require_relative "answers"
require_relative "articles"
require_relative "error_log"
require_relative "event_stream"
require_relative "page"
require_relative "services"
require_relative "settings"
require_relative "units"

# The Rack application: plain code that waits line by line. It does not know which server runs it.
class Application
  include Answers

  LONGEST_MILLISECONDS = 10_000
  MOST_SHORT_QUERIES = 1000
  MOST_EVENTS = 1000
  LARGEST_KEY = 2_147_483_647

  # A route's parameters are segments of the path.
  ROUTES = {
    "GET" => [
      [%r{\A/items/([^/]+)\z}, :item],
      [%r{\A/queries/long/([^/]+)\z}, :long_query],
      [%r{\A/queries/chain/([^/]+)/([^/]+)\z}, :query_chain],
      [%r{\A/stream/([^/]+)/([^/]+)\z}, :stream],
      [%r{\A/articles/([^/]+)\z}, :article],
      [%r{\A/articles/([^/]+)/similar\z}, :similar_articles],
      [%r{\A/users/([^/]+)/articles\z}, :articles_of_user],
      [%r{\A/pages/([^/]+)\z}, :page]
    ],
    "POST" => [[%r{\A/units/([^/]+)\z}, :unit]]
  }.freeze
  FIXED_ROUTES = {
    ["GET", "/health"] => :health,
    ["GET", "/plaintext"] => :plaintext,
    ["GET", "/items/random"] => :random_item,
    ["GET", "/queries/short"] => :short_query,
    ["GET", "/fan-out"] => :fan_out
  }.freeze

  def initialize(settings)
    @database = Services.database(settings::DATABASE_URL, settings::DATABASE_POOL)
    @cache = Services.cache(settings::CACHE_URL, settings::DATABASE_POOL)
    @upstream = Services.upstream(settings::UPSTREAM_URL, settings::UPSTREAM_POOL)
    @articles = Articles.new(@database)
  end

  def call(env)
    route(env["REQUEST_METHOD"], env["PATH_INFO"]).tap do |_, _, body|
      body.corked_socket = env["puma.socket"] if body.is_a?(EventStream)
    end
  rescue Services::Missing
    empty(503)
  rescue StandardError => error
    ErrorLog.add("#{env['REQUEST_METHOD']} #{env['PATH_INFO'][%r{\A/[^/]*}]}", error)
    empty(500)
  end

  private

  def route(method, path)
    fixed = FIXED_ROUTES[[method, path]]
    return send(fixed) if fixed

    ROUTES[method]&.each do |pattern, handler|
      pattern.match(path) { |match| return send(handler, *match.captures) }
    end
    empty(404)
  end

  def health
    @database&.ping
    @cache&.ping
    text("ok")
  end

  def plaintext
    text("Hello, World!")
  end

  def random_item
    found(database.random_item)
  end

  def item(uuid)
    found(database.item(uuid))
  end

  def short_query
    json(value: database.one)
  end

  def long_query(milliseconds)
    milliseconds = positive_integer(milliseconds, LONGEST_MILLISECONDS)
    return empty(400) unless milliseconds

    database.sleep(milliseconds / 1000.0)
    json(slept: milliseconds)
  end

  def query_chain(milliseconds, short)
    milliseconds = positive_integer(milliseconds, LONGEST_MILLISECONDS)
    short = short == "0" ? 0 : positive_integer(short, MOST_SHORT_QUERIES)
    return empty(400) unless milliseconds && short

    database.sleep(milliseconds / 1000.0)
    json(slept: milliseconds, sum: Array.new(short) { database.one }.sum)
  end

  def stream(events, milliseconds)
    events = positive_integer(events, MOST_EVENTS)
    milliseconds = positive_integer(milliseconds, LONGEST_MILLISECONDS)
    return empty(400) unless events && milliseconds

    [200, EventStream::HEADERS.dup, EventStream.new(events, milliseconds / 1000.0)]
  end

  def fan_out
    status, bytes = upstream.get
    json(status: status, bytes: bytes)
  rescue Services::UpstreamFailed => error
    ErrorLog.add("GET /fan-out", error)
    empty(502)
  end

  def unit(weight)
    work = Units::BY_WEIGHT[weight]
    work ? json(units: database.on_connection { |connection| work.call(connection) }) : empty(404)
  end

  def article(id)
    id = positive_integer(id, LARGEST_KEY)
    database
    name = id && @articles.name(id)
    name ? json(id: id, name: name) : empty(404)
  end

  def similar_articles(id)
    id = positive_integer(id, LARGEST_KEY)
    database
    similar = id && @articles.similar_to(id)
    similar ? json(id: id, similar: similar) : empty(404)
  end

  def articles_of_user(id)
    id = positive_integer(id, LARGEST_KEY)
    database
    best = id && @articles.best_for(id)
    return empty(404) unless best

    articles = best.map { |article, found| { id: article, similarity_millionths: (found * 1_000_000).round } }
    json(id: id, articles: articles)
  end

  def page(id)
    id = positive_integer(id, LARGEST_KEY)
    page = id && Page.new(database, cache).html(id)
    page ? html(page) : empty(404)
  end

  def found(item)
    item ? json(item) : empty(404)
  end

  def database
    @database || raise(Services::Missing)
  end

  def cache
    @cache || raise(Services::Missing)
  end

  def upstream
    @upstream || raise(Services::Missing)
  end

  # The number that the text writes in decimal, or nil if it is not from 1 to `largest`.
  def positive_integer(text, largest)
    number = text.to_i if /\A[1-9]\d{0,9}\z/.match?(text)
    number if number && number <= largest
  end
end
