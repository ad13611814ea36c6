# frozen_string_literal: true

require "fiber"

# Runs each request in a fiber of its own. Thin is told that the answer comes later; whatever waits inside yields the
# fiber to the event loop, and is resumed by it.
class FiberPerRequest
  FAILED = [500, { "Content-Length" => "0" }.freeze, [].freeze].freeze

  def initialize(app)
    @app = app
  end

  def call(env)
    answer = env["async.callback"]
    EM.next_tick { Fiber.new { answer.call(within(env)) }.resume }
    throw :async
  end

  private

  def within(env)
    @app.call(env)
  rescue StandardError => error
    warn "ruby-goliath: #{env['REQUEST_METHOD']} #{env['PATH_INFO'][%r{\A/[^/]*}]}: #{error.message}"
    FAILED
  end
end
