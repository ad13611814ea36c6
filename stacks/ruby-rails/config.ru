# frozen_string_literal: true

require_relative "config/environment"

PhusionPassenger.on_event(:starting_worker_process) { |forked| Started.mark if forked } if defined?(PhusionPassenger)

run Rails.application
