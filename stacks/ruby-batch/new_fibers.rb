# frozen_string_literal: true

require_relative "neverblock"

# Fibers under a scheduler, of which each does one piece of work and ends.
module Tasks
  # Has a new task do each piece that is in a closed queue, and so many exist at once.
  def self.work_off(queue, count)
    places = SizedQueue.new(count)
    together do
      until queue.empty?
        places << true
        start do
          yield queue.pop
        ensure
          places.pop
        end
      end
    end
  end
end
