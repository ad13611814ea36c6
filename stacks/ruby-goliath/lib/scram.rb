# frozen_string_literal: true

require "openssl"
require "securerandom"

# The client's half of SCRAM-SHA-256, by which a password is proven and not sent (RFC 5802, RFC 7677).
class Scram
  MECHANISM = "SCRAM-SHA-256"
  NO_CHANNEL_BINDING = "biws" # n,, in base64

  class Error < StandardError; end

  # user, password:: without characters that SASLprep would change
  def initialize(user, password)
    @password = password
    @nonce = SecureRandom.base64(24)
    @first_bare = "n=#{user.gsub("=", "=3D").gsub(",", "=2C")},r=#{@nonce}"
  end

  def first
    "n,,#{@first_bare}"
  end

  # The answer to the server's first message.
  def final(server_first)
    nonce, salt, iterations = server_first.split(",").to_h { |part| part.split("=", 2) }.values_at("r", "s", "i")
    raise Error, "the server's nonce is not an answer to this client's" unless nonce.to_s.start_with?(@nonce)

    salted = OpenSSL::KDF.pbkdf2_hmac(
      @password, salt: salt.unpack1("m"), iterations: Integer(iterations), length: 32, hash: "SHA256"
    )
    without_proof = "c=#{NO_CHANNEL_BINDING},r=#{nonce}"
    told = [@first_bare, server_first, without_proof].join(",")
    @server_signature = hmac(hmac(salted, "Server Key"), told)
    "#{without_proof},p=#{[proof(hmac(salted, "Client Key"), told)].pack("m0")}"
  end

  # Raises unless the server knows the password as well.
  def verify(server_final)
    raise Error, "the server did not prove itself" unless server_final == "v=#{[@server_signature].pack("m0")}"
  end

  private

  def proof(client_key, told)
    signature = hmac(OpenSSL::Digest::SHA256.digest(client_key), told)
    client_key.bytes.zip(signature.bytes).map { |mine, signed| mine ^ signed }.pack("C*")
  end

  def hmac(key, text)
    OpenSSL::HMAC.digest("SHA256", key, text)
  end
end
