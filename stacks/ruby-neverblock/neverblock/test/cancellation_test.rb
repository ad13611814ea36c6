# frozen_string_literal: true

require_relative "support"

class CancellationTest < Case
  def test_a_time_out_ends_what_waits_and_nothing_later
    run_fibers do
      reader, = IO.pipe
      queue = Thread::Queue.new
      waits = [proc { sleep }, proc { reader.read }, proc { queue.pop }, proc { Thread.new { sleep }.join }]
      waits.each { |wait| assert_raises(Timeout::Error) { Timeout.timeout(0.01, &wait) } }
      assert_equal 1, Timeout.timeout(0.01) { 1 }
      sleep 0.02 # the time-out of what has ended is gone
      error = assert_raises(IndexError) { Timeout.timeout(0.01, IndexError, "late") { sleep } }
      assert_equal "late", error.message
    end
  end

  def test_the_outer_time_out_passes_through_the_inner_one
    run_fibers do
      inner = nil
      assert_raises(Timeout::Error) do
        Timeout.timeout(0.02) do
          Timeout.timeout(5) { sleep }
        rescue Timeout::Error => error
          inner = error
          raise
        end
      end
      assert inner
    end
  end

  def test_a_time_out_that_passes_while_the_fiber_computes_comes_at_its_next_wait
    run_fibers do
      assert_raises(Timeout::Error) do
        Timeout.timeout(0.01) do
          busy_until = NeverBlock::Timers.now + 0.02
          nil while NeverBlock::Timers.now < busy_until
          sleep 0.05
          flunk
        end
      end
      sleep 0.001 # not this one
    end
  end

  def test_an_error_is_raised_in_a_task_that_waits_and_the_raiser_goes_on
    order = []
    run_fibers do
      task = Fiber.schedule do
        sleep
      rescue IndexError => error
        order << error.message
        sleep 0.001 # it may wait again
        order << :cleaned_up
      end
      task.raise(IndexError, "stop")
      order << :raiser
    end
    assert_equal [:raiser, "stop", :cleaned_up], order
  end

  def test_a_thread_may_raise_in_a_task
    run_fibers do
      task = Fiber.schedule { sleep }
      Thread.new { task.raise(IndexError, "from a thread") }.join
    end
    assert_equal ["from a thread"], @errors.map(&:message)
  end

  def test_a_cancelled_task_ends_without_a_word_and_its_ensure_runs
    order = []
    run_fibers do
      task = Fiber.schedule do
        sleep
      rescue StandardError
        order << :rescued
      ensure
        order << :ensured
      end
      task.cancel
      task.cancel
      sleep 0.001
      refute task.alive?
      assert_raises(FiberError) { task.raise("dead") }
    end
    assert_equal [[:ensured], []], [order, @errors]
  end

  def test_what_was_granted_before_the_cancellation_is_not_lost
    got = []
    run_fibers do
      queue = Thread::Queue.new
      task = Fiber.schedule do
        got << queue.pop
        sleep # here it is cancelled
        got << :more
      end
      queue << :item
      task.cancel
    end
    assert_equal [:item], got
  end

  def test_a_lock_goes_on_to_the_next_when_a_waiter_is_cancelled
    order = []
    run_fibers do
      lock = Mutex.new
      lock.lock
      first = Fiber.schedule { lock.synchronize { order << :first } }
      Fiber.schedule { lock.synchronize { order << :second } }
      first.cancel
      lock.unlock
    end
    assert_includes order, :second
  end
end
