# frozen_string_literal: true

require_relative "chunked"
require_relative "refusal"

module NeverBlock
  module HTTP
    # The body of a request (RFC 9112, section 6), read as a whole before the application is called.
    module Body
      CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"
      LENGTH = /\A\d{1,15}\z/.freeze
      private_constant :CONTINUE, :LENGTH

      # Its bytes. Raises Refusal. `env` has the head.
      def self.read(stream, env, limits)
        coding = env.delete("HTTP_TRANSFER_ENCODING")
        return sized(stream, env, limits) unless coding
        # Both lengths in one request is how requests are smuggled past proxies.
        raise Refusal, 400 if env["CONTENT_LENGTH"] || env["SERVER_PROTOCOL"] != "HTTP/1.1"
        raise Refusal, 501 unless coding.casecmp?("chunked")

        invite(stream, env)
        body = Chunked.read(stream, limits.body_bytes, Timers.now + limits.body_seconds)
        env["CONTENT_LENGTH"] = body.bytesize.to_s
        body
      end

      # Waits until the buffer has so many bytes.
      def self.await(stream, bytes, deadline)
        while stream.buffer.bytesize < bytes
          raise EOFError unless stream.fill(deadline)
        end
      end

      def self.sized(stream, env, limits)
        length = env["CONTENT_LENGTH"] || (return "".b)
        raise Refusal, 400 unless LENGTH.match?(length)
        raise Refusal, 413 if length.to_i > limits.body_bytes

        invite(stream, env)
        await(stream, length.to_i, Timers.now + limits.body_seconds)
        stream.take(length.to_i)
      end
      private_class_method :sized

      # Tells a client that waits for leave to send its body.
      def self.invite(stream, env)
        expected = env["HTTP_EXPECT"] || return
        raise Refusal, 417 unless expected.casecmp?("100-continue")

        stream.write(CONTINUE) if stream.buffer.empty?
      end
      private_class_method :invite
    end
  end
end
