# frozen_string_literal: true

# The same for every server.

require_relative "app/application"

run Application.new(Settings)
