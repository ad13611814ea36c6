# frozen_string_literal: true

# The job `call-batch`: calls to a server, shared out over as many tasks as may wait at once.

require "net/http"

TIMEOUT_SECONDS = 30

url = URI(ENV.fetch("UPSTREAM_URL"))
calls = Queue.new([url.request_uri] * Integer(ENV.fetch("CALLS"))).close

Tasks.run(Integer(ENV.fetch("CONCURRENCY"))) do
  options = { open_timeout: TIMEOUT_SECONDS, read_timeout: TIMEOUT_SECONDS, max_retries: 0 }
  Net::HTTP.start(url.host, url.port, **options) do |http| # a connection for each task, kept
    while (path = calls.pop)
      http.get(path).value # raises unless the answer is a success
    end
  end
end
