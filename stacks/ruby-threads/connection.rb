# frozen_string_literal: true

require "socket"

# A client's connection, served by a thread of its own: GET requests one after the other.
class Connection
  ELSEWHERE = "https://example.com/"
  LARGEST_LINE_BYTES = 8192
  MOST_HEADERS = 100
  PRINTS = ENV["PRINT_REQUESTS"] == "1" # as the published server did
  LOOK_EVERY_SECONDS = 0.02
  GET = %r{\AGET (/[^ ?]*)(?:\?[^ ]*)? HTTP/1\.([01])\r\n\z}.freeze
  CONNECTION = /\Aconnection:[ \t]*(close|keep-alive)[ \t]*\r\n\z/i.freeze
  LINK = %r{\A/links/(\d{1,20})\z}.freeze
  REASONS = { 200 => "OK", 301 => "Moved Permanently", 302 => "Found", 400 => "Bad Request", 404 => "Not Found",
              500 => "Internal Server Error", 503 => "Service Unavailable" }.freeze

  @answering = 0
  @lock = Mutex.new
  class << self
    attr_reader :finishing

    # Waits until no request is being answered, for so long at most. From now on each connection ends with its answer.
    def finish(seconds)
      @finishing = true
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
      sleep LOOK_EVERY_SECONDS until @answering.zero? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
    end

    def answering
      @lock.synchronize { @answering += 1 }
      yield
    ensure
      @lock.synchronize { @answering -= 1 }
    end
  end

  def initialize(socket, redis)
    @socket = socket
    @redis = redis
  end

  def serve
    @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    while (line = @socket.gets("\n", LARGEST_LINE_BYTES))
      break unless Connection.answering { take_request(line) }
    end
  rescue SystemCallError, IOError
    nil # the client is gone
  ensure
    @socket.close
  end

  private

  # Whether the connection is kept.
  def take_request(line)
    puts line if PRINTS
    request = GET.match(line)
    wanted = request && read_headers
    # Another method may have a body, whose end this server does not look for.
    return answer(400, keep: false) unless wanted

    keep = request[2] == "1" ? wanted != "close" : wanted == "keep-alive"
    route(request[1], keep)
  end

  # What the client wants of the connection, "" if it does not say; nil if these are no headers.
  def read_headers
    wanted = ""
    MOST_HEADERS.times do
      line = @socket.gets("\n", LARGEST_LINE_BYTES)
      return unless line&.end_with?("\r\n")
      return wanted if line == "\r\n"

      CONNECTION.match(line) { |header| wanted = header[1].downcase }
    end
    nil
  end

  def route(path, keep)
    case path
    when "/health" then health(keep)
    when "/plaintext" then answer(200, "Hello, World!", keep: keep)
    when LINK then redirect(Regexp.last_match(1), keep)
    when %r{\A/links/} then answer(302, location: ELSEWHERE, keep: keep)
    else answer(404, keep: keep)
    end
  rescue Redis::BaseError => error
    warn "ruby-threads: #{path[%r{\A/[^/]*}]}: #{error.message}"
    answer(path == "/health" ? 503 : 500, keep: keep)
  end

  def health(keep)
    @redis&.with(&:ping)
    answer(200, "ok", keep: keep)
  end

  def redirect(key, keep)
    return answer(503, keep: keep) unless @redis

    address = @redis.with { |redis| redis.get("link:#{key}") }
    address ? answer(301, location: address, keep: keep) : answer(302, location: ELSEWHERE, keep: keep)
  end

  def answer(status, body = "", keep:, location: nil)
    keep &&= !Connection.finishing
    head = +"HTTP/1.1 #{status} #{REASONS[status]}\r\nContent-Length: #{body.bytesize}\r\n"
    head << "Content-Type: text/plain\r\n" unless body.empty?
    head << "Location: " << location << "\r\n" if location
    head << "Connection: #{keep ? 'keep-alive' : 'close'}\r\n\r\n" << body
    @socket.write(head)
    keep
  end
end
