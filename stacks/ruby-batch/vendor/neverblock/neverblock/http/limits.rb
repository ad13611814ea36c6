# frozen_string_literal: true

module NeverBlock
  module HTTP
    # What a client may ask of the server.
    #
    # head_bytes, body_bytes:: the longest head and body of a request
    # idle_seconds:: how long a connection without a request is kept
    # head_seconds, body_seconds:: how long a request's head, and its body, may take to arrive
    # write_seconds:: how long a client may take none of its answer
    Limits = Struct.new(:head_bytes, :body_bytes, :idle_seconds, :head_seconds, :body_seconds, :write_seconds,
                        keyword_init: true) do
      def initialize(head_bytes: 16_384, body_bytes: 1_048_576, idle_seconds: 65, head_seconds: 10, body_seconds: 30,
                     write_seconds: 30)
        super
      end
    end
  end
end
