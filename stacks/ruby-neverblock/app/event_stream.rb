# frozen_string_literal: true

require "json"
require "socket"

# The body of the workload stream: server-sent events, with a pause before each but the first.
class EventStream
  HEADERS = { "Content-Type" => "text/event-stream", "Cache-Control" => "no-cache",
              "X-Accel-Buffering" => "no" }.freeze # the last one is for nginx

  # Under Puma, the client's socket. Puma 5 corks it for each answer: Linux would keep events back for up to 200 ms.
  attr_writer :corked_socket

  def initialize(count, pause_seconds)
    @count = count
    @pause_seconds = pause_seconds
  end

  def each
    @corked_socket&.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_CORK, 0)
    @count.times do |number|
      sleep @pause_seconds if number.positive?
      yield "id: #{number}\ndata: #{JSON.generate(number: number, text: 'Hello, World!')}\n\n"
    end
    yield "data: [DONE]\n\n"
  end
end
