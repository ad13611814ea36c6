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

connections = Queue.new(Array.new(Integer(ENV.fetch("DB_POOL", 16))) { Database.open })

Tasks.run(Integer(ENV.fetch("CONCURRENCY", connections.size))) do
  while (query = queries.pop)
    connection = connections.pop
    begin
      connection.public_send(*query)
    ensure
      connections << connection
    end
  end
end
