# frozen_string_literal: true

require_relative "support"

class PoolTest < Case
  def test_connections_are_opened_when_needed_and_used_again
    pool = counted_pool(size: 3)
    run_fibers do
      5.times { pool.with { |connection| assert_equal 1, connection } }
      2.times { Fiber.schedule { pool.with { sleep 0.01 } } }
      assert_equal({ size: 3, opened: 2, idle: 0, waiting: 0 }, pool.state)
    end
    assert_equal 2, @opened
    pool.close
    assert_equal [2, 0], [@closed.size, pool.state[:opened]]
  end

  def test_who_waits_longest_is_served_first_and_nobody_comes_before
    order = []
    pool = counted_pool(size: 1)
    run_fibers do
      4.times do |number|
        Fiber.schedule do
          3.times { |round| pool.with { order << [round, number] && sleep(0) } }
        end
      end
    end
    assert_equal order.sort, order, "each of the four in each round"
    assert_equal 1, @opened
  end

  def test_an_exhausted_pool_says_so_in_time
    pool = counted_pool(size: 2, wait_seconds: 0.03)
    run_fibers do
      2.times { Fiber.schedule { pool.with { sleep 0.1 } } }
      error = assert_raises(NeverBlock::Pool::Exhausted) { pool.with { flunk } }
      assert_match "within 0.03 s: all 2 are in use, and 0 more wait", error.message
      assert_equal 0, pool.state[:waiting]
    end
    assert_equal 2, pool.state[:idle]
  end

  def test_a_connection_whose_block_failed_is_dropped_unless_it_may_be_kept
    pool = counted_pool(size: 1)
    assert_raises(IndexError) { pool.with { raise IndexError } }
    assert_equal [1], @closed
    pool.with { |connection| assert_equal 2, connection }
    kept = counted_pool(size: 1, keep_after_error: ->(_) { true })
    assert_raises(IndexError) { kept.with { raise IndexError } }
    assert_empty @closed
    kept.with { |connection| assert_equal 1, connection }
  end

  def test_who_waits_when_a_connection_breaks_opens_another
    pool = counted_pool(size: 1)
    got = nil
    run_fibers do
      Fiber.schedule { pool.with { sleep(0.01) && raise(IOError) } }
      pool.with { |connection| got = connection }
    end
    assert_equal 2, got
  end

  def test_a_connection_that_cannot_be_opened_takes_no_place
    broken = true
    pool = NeverBlock::Pool.new(size: 1) { broken ? raise(IOError, "refused") : :connection }
    2.times { assert_raises(IOError) { pool.with { flunk } } }
    broken = false
    assert_equal :connection, pool.with(&:itself)
  end

  def test_a_waiter_that_is_cancelled_passes_on_what_it_was_given
    pool = counted_pool(size: 1)
    served = []
    run_fibers do
      Fiber.schedule { pool.with { sleep 0.01 } }
      waiters = Array.new(3) { |number| Fiber.schedule { pool.with { served << number && sleep(0.001) } } }
      waiters[0].cancel
      sleep 0.01 while pool.state[:opened] == 1 && served.empty?
      waiters[1].cancel
    end
    assert_equal [1, 2], served
    assert_operator pool.state[:opened], :<=, 1
  end

  def test_threads_share_it_as_well
    pool = counted_pool(size: 2)
    at_once = most = 0
    lock = Mutex.new
    Array.new(8) do
      Thread.new do
        20.times do
          pool.with do
            lock.synchronize { most = [most, at_once += 1].max }
            Thread.pass
            lock.synchronize { at_once -= 1 }
          end
        end
      end
    end.each(&:join)
    assert_operator most, :<=, 2
    assert_equal @opened, pool.state[:idle]
  end

  private

  # Its connections are numbers, in the order in which they are opened.
  def counted_pool(**options)
    @opened = 0
    @closed = []
    NeverBlock::Pool.new(close: ->(connection) { @closed << connection }, **options) { @opened += 1 }
  end
end
