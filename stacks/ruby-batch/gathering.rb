# frozen_string_literal: true

require "socket"

# The connection to the lab's task barrier, which all tasks share.
class Gathering
  def initialize
    @socket = UNIXSocket.new(ENV.fetch("GATHERING"))
  end

  # Reports one task.
  def arrive
    @socket.write(".")
  end

  # Waits for the barrier's next line; without one, the program ends with status 1.
  def line
    @socket.gets || abort("the gathering ended before all were there")
  end

  # Waits for the first token.
  def token
    Integer(line)
  end

  # Sends the last token, and waits until the tasks may end.
  def give_back(token)
    @socket.puts(token)
    line
  end
end
