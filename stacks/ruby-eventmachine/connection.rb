# frozen_string_literal: true

require "set"

# A client's connection: GET requests one after the other, each answered when Redis has replied.
class Connection < EM::Connection
  ELSEWHERE = "https://example.com/"
  END_OF_HEAD = "\r\n\r\n"
  LARGEST_HEAD_BYTES = 16_384
  IDLE_SECONDS = 65
  PRINTS = ENV["PRINT_REQUESTS"] == "1" # as the published server did
  GET = %r{\AGET (/[^ ?]*)(?:\?[^ ]*)? HTTP/1\.([01])\r\n}.freeze
  CLOSE = /^connection:[ \t]*close[ \t]*\r$/i.freeze
  KEEP = /^connection:[ \t]*keep-alive[ \t]*\r$/i.freeze
  LINK = %r{\A/links/(\d{1,20})\z}.freeze
  REASONS = { 200 => "OK", 301 => "Moved Permanently", 302 => "Found", 400 => "Bad Request", 404 => "Not Found",
              503 => "Service Unavailable" }.freeze

  @open = Set.new
  class << self
    attr_reader :open, :finished

    # Each connection ends with its next answer, those without a request now; the block runs when all have.
    def finish(&finished)
      @finished = finished
      open.each(&:close_if_idle)
      finished.call if open.empty?
    end
  end

  def initialize(redis)
    super
    @redis = redis
    @received = String.new
  end

  def post_init
    self.comm_inactivity_timeout = IDLE_SECONDS
    Connection.open << self
  end

  def unbind
    Connection.open.delete(self)
    Connection.finished&.call if Connection.open.empty?
  end

  def receive_data(data)
    @received << data
    take_request unless @answering
  end

  def close_if_idle
    close_connection unless @answering
  end

  private

  # What comes behind it waits for its answer.
  def take_request
    length = @received.index(END_OF_HEAD)
    if length
      head = @received.slice!(0, length + END_OF_HEAD.bytesize)
      @answering = true
      GET.match(head) { |request| return route(request, head) }
      refuse
    elsif @received.bytesize > LARGEST_HEAD_BYTES
      refuse
    end
  end

  # Another method may have a body, whose end this server does not look for.
  def refuse
    @keep = false
    answer(400)
  end

  def route(request, head)
    puts request[0] if PRINTS
    @keep = request[2] == "1" ? !CLOSE.match?(head) : KEEP.match?(head)
    case path = request[1]
    when "/health" then health
    when "/plaintext" then answer(200, "Hello, World!")
    when LINK then redirect(Regexp.last_match(1))
    else path.start_with?("/links/") ? answer(302, location: ELSEWHERE) : answer(404)
    end
  end

  def health
    @redis ? @redis.ping { answer(200, "ok") } : answer(200, "ok")
  end

  def redirect(key)
    return answer(503) unless @redis

    @redis.get("link:#{key}") { |address| address ? answer(301, location: address) : answer(302, location: ELSEWHERE) }
  end

  def answer(status, body = "", location: nil)
    head = +"HTTP/1.1 #{status} #{REASONS[status]}\r\nContent-Length: #{body.bytesize}\r\n"
    head << "Content-Type: text/plain\r\n" unless body.empty?
    head << "Location: " << location << "\r\n" if location
    finishing = !@keep || Connection.finished
    head << "Connection: #{finishing ? 'close' : 'keep-alive'}\r\n\r\n" << body
    send_data(head)
    @answering = false
    finishing ? close_connection_after_writing : take_request
  end
end
