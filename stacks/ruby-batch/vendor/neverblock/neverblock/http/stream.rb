# frozen_string_literal: true

require "socket"
require "io/wait"

module NeverBlock
  module HTTP
    # A client's bytes. Reading and writing give way to other fibers, and end in time.
    class Stream
      # The client took longer than it may.
      class Late < IOError; end

      CHUNK_BYTES = 16_384
      private_constant :CHUNK_BYTES

      # What has come and was not taken.
      attr_reader :buffer

      def initialize(socket, write_seconds)
        @socket = socket
        @write_seconds = write_seconds
        @buffer = String.new(encoding: Encoding::BINARY)
        @chunk = String.new
      end

      # Waits for more bytes, until the deadline (of Timers.now) at most. false if no more will come.
      def fill(deadline)
        loop do
          case @socket.read_nonblock(CHUNK_BYTES, @chunk, exception: false)
          when :wait_readable then @socket.wait_readable([deadline - Timers.now, 0].max) || raise(Late)
          when nil then return false
          else
            @buffer << @chunk
            return true
          end
        end
      end

      # Takes so many bytes, which must be in the buffer.
      def take(bytes)
        @buffer.slice!(0, bytes)
      end

      def buffer=(bytes)
        @buffer.replace(bytes)
      end

      def write(data)
        loop do
          written = @socket.write_nonblock(data, exception: false)
          if written == :wait_writable
            @socket.wait_writable(@write_seconds) || raise(Late)
          else
            return if written == data.bytesize

            data = data.byteslice(written..)
          end
        end
      end

      # Says that no more will be written, and drops what still comes, for so long and so much of it at most. A
      # connection that is closed with unread bytes is reset, and the client may lose what was written to it.
      def linger(seconds, bytes)
        @socket.close_write
        deadline = Timers.now + seconds
        while bytes.positive? && fill(deadline)
          bytes -= @buffer.bytesize
          @buffer.clear
        end
      rescue SystemCallError, IOError
        nil # the client is gone
      end

      def close
        @socket.close
      end

      def client_address
        @socket.remote_address.ip_address
      rescue SystemCallError
        ""
      end
    end
  end
end
