# frozen_string_literal: true

require_relative "../../lib/scram"

# Logs a connection of the driver in by SCRAM-SHA-256, which the packaged driver (2.5) is too old to know.
class ScramSha256
  NAME = :scram256

  def self.register
    Mongo::Auth::SOURCES[NAME] = self
  end

  def initialize(user)
    @user = user
  end

  def login(connection)
    scram = Scram.new(@user.name, @user.password)
    reply = ask(connection, saslStart: 1, mechanism: Scram::MECHANISM, payload: scram.first)
    conversation = { saslContinue: 1, conversationId: reply["conversationId"] }
    reply = ask(connection, **conversation, payload: scram.final(reply["payload"].data))
    scram.verify(reply["payload"].data)
    ask(connection, **conversation, payload: "") unless reply["done"]
  end

  private

  def ask(connection, payload:, **message)
    selector = message.merge(payload: BSON::Binary.new(payload))
    selector[Mongo::Protocol::Msg::DATABASE_IDENTIFIER] = @user.auth_source
    reply = connection.dispatch([Mongo::Protocol::Msg.new([:none], {}, selector)]).documents[0]
    raise Mongo::Auth::Unauthorized.new(@user) unless reply["ok"] == 1

    reply
  end
end
