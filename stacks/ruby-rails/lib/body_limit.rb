# frozen_string_literal: true

# Answers 413 to a body that is longer than a limit, before anything parses it.
class BodyLimit
  def initialize(app, bytes)
    @app = app
    @bytes = bytes
  end

  def call(env)
    body = env["rack.input"]
    read = body.read(@bytes + 1)
    body.rewind
    read && read.bytesize > @bytes ? [413, {}, []] : @app.call(env)
  end
end
