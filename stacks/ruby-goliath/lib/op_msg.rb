# frozen_string_literal: true

require "bson"
require "eventmachine"
require "fiber"
require_relative "scram"

# A connection that speaks OP_MSG, the messages of the MongoDB protocol, one command at a time. A command yields the
# fiber until its reply is there. https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
class OpMsg < EM::Connection
  OPCODE = 2013
  HEADER = "l<5C" # length, request, the request it replies to, opcode, flags; then the kind of the only section
  HEADER_BYTES = 21

  class Error < StandardError; end

  # login:: the user, the password and the database that knows both; nil: the server asks for none
  def initialize(host, port, login)
    super
    @host = host
    @port = port
    @login = login
    @received = String.new
  end

  def command(document)
    reconnect(@host, @port) if @lost
    @lost = false
    log_in if @login && !@logged_in
    exchange(document)
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
    @logged_in = false
    @received.clear
    resume({ "errmsg" => "the connection to the database is lost" })
  end

  private

  def log_in
    user, password, database = @login
    scram = Scram.new(user, password)
    reply = converse(database, saslStart: 1, mechanism: Scram::MECHANISM, payload: binary(scram.first))
    conversation = { saslContinue: 1, conversationId: reply["conversationId"] }
    reply = converse(database, **conversation, payload: binary(scram.final(reply["payload"].data)))
    scram.verify(reply["payload"].data)
    converse(database, **conversation, payload: binary("")) unless reply["done"]
    @logged_in = true
  end

  def converse(database, **message)
    exchange(message.merge("$db" => database))
  end

  def binary(text)
    BSON::Binary.new(text)
  end

  def exchange(document)
    body = document.to_bson.to_s
    send_data([HEADER_BYTES + body.bytesize, 1, 0, OPCODE, 0, 0].pack(HEADER) << body)
    @waiting = Fiber.current
    reply = Fiber.yield
    raise Error, reply["errmsg"] unless reply["ok"] == 1

    reply
  end

  def resume(reply)
    fiber = @waiting
    @waiting = nil
    fiber&.resume(reply)
  end
end
