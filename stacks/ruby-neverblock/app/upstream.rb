# frozen_string_literal: true

require "net/http"
require "uri"
require_relative "services"

# The upstream by Net::HTTP, over connections that are kept. One that the upstream has closed meanwhile is opened anew
# by Net::HTTP itself.
class Upstream
  KEPT_SECONDS = 60

  def initialize(url, pool_size)
    @uri = URI.parse(url)
    seconds = Services::WAIT_SECONDS
    options = { open_timeout: seconds, read_timeout: seconds, write_timeout: seconds, keep_alive_timeout: KEPT_SECONDS }
    @pool = NeverBlock::Pool.new(size: pool_size, wait_seconds: seconds, close: :finish.to_proc) do
      Net::HTTP.start(@uri.host, @uri.port, **options)
    end
  end

  # The status, and the length of the body. Raises Services::UpstreamFailed.
  def get
    response = @pool.with { |http| http.request(Net::HTTP::Get.new(@uri.request_uri)) }
    [response.code.to_i, response.body.to_s.bytesize]
  rescue SystemCallError, IOError, SocketError, Timeout::Error, Net::ProtocolError, NeverBlock::Pool::Exhausted => error
    raise Services::UpstreamFailed, "#{error.class}: #{error.message}"
  end
end
