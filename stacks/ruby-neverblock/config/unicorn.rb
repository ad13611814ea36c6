# frozen_string_literal: true

require "logger"
require_relative "../app/settings"

listen ENV.fetch("UNICORN_SOCKET"), backlog: 4096
worker_processes Settings::REQUESTS
preload_app true
timeout 30
logger Logger.new($stderr, level: Logger::WARN)
