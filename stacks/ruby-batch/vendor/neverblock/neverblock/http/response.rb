# frozen_string_literal: true

require "time"
require_relative "chunked"

module NeverBlock
  module HTTP
    # Writes what a Rack application returned. A short answer goes out in one write.
    class Response
      REASONS = {
        100 => "Continue", 200 => "OK", 201 => "Created", 202 => "Accepted", 204 => "No Content",
        206 => "Partial Content", 301 => "Moved Permanently", 302 => "Found", 303 => "See Other", 304 => "Not Modified",
        307 => "Temporary Redirect", 308 => "Permanent Redirect", 400 => "Bad Request", 401 => "Unauthorized",
        403 => "Forbidden", 404 => "Not Found", 405 => "Method Not Allowed", 406 => "Not Acceptable",
        409 => "Conflict", 410 => "Gone", 413 => "Content Too Large", 415 => "Unsupported Media Type",
        417 => "Expectation Failed", 422 => "Unprocessable Content", 429 => "Too Many Requests",
        431 => "Request Header Fields Too Large", 500 => "Internal Server Error", 501 => "Not Implemented",
        502 => "Bad Gateway", 503 => "Service Unavailable", 504 => "Gateway Timeout"
      }.freeze
      NAME = /\A[!#$%&'*+\-.^_`|~0-9A-Za-z]+\z/.freeze
      FORBIDDEN = /[\r\0]/.freeze
      NO_BODY = [204, 304].freeze
      OURS = %w[connection date transfer-encoding].freeze # headers that the server decides
      private_constant :REASONS, :NAME, :FORBIDDEN, :NO_BODY, :OURS

      # An answer without an application, after which the connection is closed.
      def self.refusal(status)
        reason = REASONS.fetch(status)
        "HTTP/1.1 #{status} #{reason}\r\nDate: #{date}\r\nContent-Type: text/plain\r\n" \
          "Content-Length: #{reason.bytesize}\r\nConnection: close\r\n\r\n#{reason}"
      end

      # Now, as HTTP writes it. Made once a second.
      def self.date
        now = Process.clock_gettime(Process::CLOCK_REALTIME, :second)
        return @date if @date_at == now

        @date_at = now
        @date = Time.at(now).httpdate
      end

      # Raises ArgumentError for headers that cannot be sent.
      def initialize(env, status, headers, body)
        @status = Integer(status)
        @body = body
        @to_1_1 = env["SERVER_PROTOCOL"] == "HTTP/1.1"
        @without_body = env["REQUEST_METHOD"] == "HEAD" || NO_BODY.include?(@status)
        @lines = +""
        headers.each { |name, value| add(name, value) }
        @body = @body.to_ary if @body.respond_to?(:to_ary)
        give_length
      end

      # keep:: whether the client and the server can go on with this connection. Returns whether they do.
      def write(stream, keep:)
        keep &&= !@close && (@length || @without_body || @to_1_1)
        # One write for what fits: an answer in two packets may wait for an acknowledgement between them.
        out = head(keep)
        if @without_body
          stream.write(out)
        elsif @body.is_a?(Array)
          @body.each { |part| out << part.b }
          stream.write(out)
        else
          write_parts(stream, out)
        end
        keep
      end

      private

      def add(name, value)
        raise ArgumentError, "#{name.inspect} cannot be the name of a header" unless NAME.match?(name.to_s)

        key = name.downcase
        @length = Integer(value.to_s, 10) if key == "content-length"
        @close = true if key == "connection" && value.to_s.casecmp?("close")
        return if OURS.include?(key)

        # Rack 2 has several values of a header in lines.
        value.to_s.split("\n").each do |line|
          raise ArgumentError, "#{name} has a value that cannot be sent" if FORBIDDEN.match?(line)

          @lines << name << ": " << line << "\r\n"
        end
      end

      # Without a length a body goes out in chunks, or until the connection ends.
      def give_length
        return if @length || NO_BODY.include?(@status)

        if @body.is_a?(Array)
          @length = @body.sum(&:bytesize)
          @lines << "Content-Length: #{@length}\r\n"
        elsif @to_1_1
          @chunked = !@without_body
          @lines << "Transfer-Encoding: chunked\r\n"
        end
      end

      def head(keep)
        out = "HTTP/1.1 #{@status} #{REASONS[@status]}\r\n".b << @lines.b << "Date: " << Response.date
        if !keep
          out << "\r\nConnection: close"
        elsif !@to_1_1
          out << "\r\nConnection: keep-alive"
        end
        out << "\r\n\r\n"
      end

      def write_parts(stream, out)
        @body.each do |part|
          next if part.empty? # an empty chunk would be the last

          out << (@chunked ? Chunked.chunk(part) : part.b)
          stream.write(out)
          out = String.new(encoding: Encoding::BINARY)
        end
        out << Chunked::LAST if @chunked
        stream.write(out) unless out.empty?
      end
    end
  end
end
