# frozen_string_literal: true

# Tasks that are threads. `fibers.rb` has the same methods for fibers.
module Tasks
  Thread.report_on_exception = false # `value` raises what a thread raised

  # Runs the block in so many tasks at once, and waits for all.
  def self.run(count, &work)
    Array.new(count) { Thread.new(&work) }.each(&:value)
  end

  # Has so many tasks exist at once: each arrives at the gathering, and waits until all may end.
  def self.gather(count, gathering)
    may_end = Queue.new
    threads = Array.new(count) do
      Thread.new do
        gathering.arrive
        may_end.pop
      end
    end
    gathering.line
    may_end.close
    threads.each(&:value)
  end

  # Hands a token round a ring of tasks, `switches` times. The block makes one step, by the token and the task's number.
  # Each thread has a queue, which holds the token with the steps that are left.
  def self.go_round(count, switches, gathering)
    last = Queue.new
    inboxes = Array.new(count) { Queue.new }
    threads = inboxes.each_with_index.map do |inbox, number|
      successor = inboxes[(number + 1) % count]
      Thread.new do
        gathering.arrive
        while (received = inbox.pop)
          token, left = received
          token = yield token, number
          left == 1 ? last.push(token) : successor.push([token, left - 1])
        end
      end
    end
    inboxes.first.push([gathering.token, switches])
    gathering.give_back(last.pop)
    inboxes.each(&:close)
    threads.each(&:value)
  end
end
