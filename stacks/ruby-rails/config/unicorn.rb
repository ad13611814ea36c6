# frozen_string_literal: true

listen ENV.fetch("SERVER_SOCKET"), backlog: 4096
worker_processes Integer(ENV.fetch("UNICORN_PROCESSES"))
preload_app true
timeout 30
logger Logger.new($stderr, level: Logger::WARN)
