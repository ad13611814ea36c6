# frozen_string_literal: true

require "bson"
require "eventmachine"
require "fiber"

# A connection that speaks OP_MSG, the messages of the MongoDB protocol, one command at a time. A command yields the
# fiber until its reply is there. https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
class OpMsg < EM::Connection
  OPCODE = 2013
  HEADER = "l<5C" # length, request, the request it replies to, opcode, flags; then the kind of the only section
  HEADER_BYTES = 21

  class Error < StandardError; end

  def initialize(host, port)
    super
    @host = host
    @port = port
    @received = String.new
  end

  def command(document)
    reconnect(@host, @port) if @lost
    @lost = false
    body = document.to_bson.to_s
    send_data([HEADER_BYTES + body.bytesize, 1, 0, OPCODE, 0, 0].pack(HEADER) << body)
    @waiting = Fiber.current
    reply = Fiber.yield
    raise Error, reply["errmsg"] unless reply["ok"] == 1

    reply
  end

  def receive_data(data)
    @received << data
    length = @received.unpack1("l<") || return
    return if @received.bytesize < length

    body = @received.byteslice(HEADER_BYTES, length - HEADER_BYTES)
    @received = @received.byteslice(length..)
    resume(Hash.from_bson(BSON::ByteBuffer.new(body)))
  end

  def unbind
    @lost = true
    @received.clear
    resume({ "errmsg" => "the connection to the database is lost" })
  end

  private

  def resume(reply)
    fiber = @waiting
    @waiting = nil
    fiber&.resume(reply)
  end
end
