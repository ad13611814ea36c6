# frozen_string_literal: true

# Tasks that are fibers, without a scheduler: a fiber that waits for the network or a database has all others wait.
module Tasks
  # Runs the block in so many tasks, one after the other, since none of them ever gives way.
  def self.run(count, &work)
    Array.new(count) { Fiber.new(&work) }.each(&:resume)
  end

  # Has so many tasks do all that is in a closed queue, one piece after the other.
  def self.work_off(queue, count, &work)
    run(count) do
      while (piece = queue.pop)
        work.call(piece)
      end
    end
  end

  # Has so many tasks exist at once: each arrives at the gathering, and waits until all may end.
  def self.gather(count, gathering)
    fibers = Array.new(count) do
      Fiber.new do
        gathering.arrive
        Fiber.yield
      end
    end
    fibers.each(&:resume)
    gathering.line
    fibers.each(&:resume)
  end

  # Hands a token round a ring of tasks, `switches` times. The block makes one step, by the token and the task's number.
  # A fiber hands control on together with the token: nothing else decides which fiber runs next.
  def self.go_round(count, switches, gathering)
    main = Fiber.current
    ring = Array.new(count) do |number|
      Fiber.new do
        gathering.arrive
        token, left = main.transfer
        loop do
          token = yield token, number
          token, left = left == 1 ? main.transfer(token) : ring[(number + 1) % count].transfer(token, left - 1)
        end
      end
    end
    ring.each(&:transfer)
    gathering.give_back(ring.first.transfer(gathering.token, switches))
  end
end
