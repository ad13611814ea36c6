# frozen_string_literal: true

module NeverBlock
  module HTTP
    # A request that is answered with a status before any application sees it. Its connection is closed.
    class Refusal < StandardError
      attr_reader :status

      def initialize(status)
        @status = status
        super("status #{status}")
      end
    end
  end
end
