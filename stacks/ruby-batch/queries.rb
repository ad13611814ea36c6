# frozen_string_literal: true

# The job `query-batch`: long queries with short ones behind each, shared out over tasks and a pool of connections.

require_relative "database"

long_seconds = Integer(ENV.fetch("LONG_MILLISECONDS")) / 1000.0
queries = Queue.new
Integer(ENV.fetch("LONG_QUERIES")).times do
  queries << [:sleep, long_seconds]
  Integer(ENV.fetch("SHORT_PER_LONG")).times { queries << [:one] }
end
queries.close

# A place for each connection: who gets an empty one opens it, so that tasks open theirs at the same time.
connections = Queue.new(Array.new(Integer(ENV.fetch("DB_POOL", 16))))

Tasks.work_off(queries, Integer(ENV.fetch("CONCURRENCY", connections.size))) do |query|
  connection = connections.pop || Database.open
  connection.public_send(*query)
ensure
  connections << connection
end
