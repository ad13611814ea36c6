# frozen_string_literal: true

require_relative "refusal"

module NeverBlock
  module HTTP
    # The chunked transfer coding of RFC 9112, section 7.1. Extensions and trailers are read and dropped.
    module Chunked
      LAST = "0\r\n\r\n"
      SIZE = /\A(\h{1,8})(?:[ \t]*;[^\r\n]*)?\r\n\z/.freeze
      LONGEST_LINE_BYTES = 256
      MOST_TRAILERS = 64
      private_constant :SIZE, :LONGEST_LINE_BYTES, :MOST_TRAILERS

      def self.chunk(data)
        "#{data.bytesize.to_s(16)}\r\n".b << data << "\r\n"
      end

      # The whole body. Raises Refusal.
      def self.read(stream, most_bytes, deadline)
        body = String.new(encoding: Encoding::BINARY)
        while (size = read_size(stream, deadline)).positive?
          raise Refusal, 413 if body.bytesize + size > most_bytes

          Body.await(stream, size + 2, deadline)
          body << stream.take(size)
          raise Refusal, 400 unless stream.take(2) == "\r\n"
        end
        MOST_TRAILERS.times { return body if line(stream, deadline) == "\r\n" }
        raise Refusal, 400
      end

      def self.read_size(stream, deadline)
        size = SIZE.match(line(stream, deadline)) || raise(Refusal, 400)
        size[1].to_i(16)
      end
      private_class_method :read_size

      def self.line(stream, deadline)
        until (feed = stream.buffer.index("\n"))
          raise Refusal, 400 if stream.buffer.bytesize > LONGEST_LINE_BYTES
          raise EOFError unless stream.fill(deadline)
        end
        stream.take(feed + 1)
      end
      private_class_method :line
    end
  end
end
