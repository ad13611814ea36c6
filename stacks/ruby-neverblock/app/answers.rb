# frozen_string_literal: true

require "json"

# Answers as Rack wants them.
module Answers
  def json(value)
    answer(200, "application/json", JSON.generate(value))
  end

  def text(body)
    answer(200, "text/plain", body)
  end

  def html(body)
    answer(200, "text/html; charset=utf-8", body)
  end

  def empty(status)
    [status, { "Content-Length" => "0" }, []]
  end

  private

  def answer(status, type, body)
    [status, { "Content-Type" => type, "Content-Length" => body.bytesize.to_s }, [body]]
  end
end
