# frozen_string_literal: true

# What tasks do of which one may wait while others run: threads, and fibers under a scheduler. `together` runs a block
# and waits for all tasks that it starts; `start` starts one. `fibers.rb` has the same methods for fibers that cannot.
module Waiting
  # Runs the block in so many tasks at once, and waits for all.
  def run(count, &work)
    together { count.times { start(&work) } }
  end

  # Has so many tasks do all that is in a closed queue, one piece after the other.
  def work_off(queue, count, &work)
    run(count) do
      while (piece = queue.pop)
        work.call(piece)
      end
    end
  end

  # Has so many tasks exist at once: each arrives at the gathering, and waits until all may end.
  def gather(count, gathering)
    may_end = Queue.new
    together do
      count.times do
        start do
          gathering.arrive
          may_end.pop
        end
      end
      gathering.line
      may_end.close
    end
  end

  # Hands a token round a ring of tasks, `switches` times. The block makes one step, by the token and the task's number.
  # Each task has a queue, which holds the token with the steps that are left.
  def go_round(count, switches, gathering, &step)
    last = Queue.new
    inboxes = Array.new(count) { Queue.new }
    together do
      inboxes.each_with_index do |inbox, number|
        start { pass_on(number, inbox, inboxes[(number + 1) % count], last, gathering, &step) }
      end
      inboxes.first.push([gathering.token, switches])
      gathering.give_back(last.pop)
      inboxes.each(&:close)
    end
  end

  private

  def pass_on(number, inbox, successor, last, gathering)
    gathering.arrive
    while (received = inbox.pop)
      token, left = received
      token = yield token, number
      left == 1 ? last.push(token) : successor.push([token, left - 1])
    end
  end
end
