# frozen_string_literal: true

socket = ENV["SERVER_SOCKET"]
bind(socket ? "unix://#{socket}" : "tcp://#{ENV.fetch('HOST')}:#{ENV.fetch('PORT')}")
environment "production"
rackup "config.ru"
quiet

max_threads = Integer(ENV.fetch("MAX_THREADS", 16))
threads max_threads, max_threads

processes = Integer(ENV.fetch("WEB_CONCURRENCY", 1))
if processes > 1
  workers processes
  preload_app!
end

persistent_timeout 65
force_shutdown_after 3
