# frozen_string_literal: true

require_relative "../app/settings"

bind "tcp://#{Settings::HOST}:#{Settings::PORT}"
environment "production"
rackup "config.ru"
quiet

threads Settings::REQUESTS_OF_PROCESS, Settings::REQUESTS_OF_PROCESS

if Settings::PROCESSES > 1
  workers Settings::PROCESSES
  preload_app!
end

persistent_timeout 65
force_shutdown_after 3
