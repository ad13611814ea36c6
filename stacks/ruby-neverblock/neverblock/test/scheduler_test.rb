# frozen_string_literal: true

require_relative "support"

class SchedulerTest < Case
  def test_it_returns_what_the_block_returns_when_all_fibers_have_ended
    ended = []
    value = run_fibers do
      Fiber.schedule do
        sleep 0.01
        ended << :other
      end
      ended << :first
      42
    end
    assert_equal [42, %i[first other]], [value, ended]
  end

  def test_an_error_of_the_block_is_raised_and_that_of_another_fiber_is_reported
    assert_raises(KeyError) { run_fibers { {}.fetch(:missing) } }
    others = []
    run_fibers do
      Fiber.schedule { raise IndexError, "one" }
      Fiber.schedule { others << sleep(0.01) }
    end
    assert_equal ["one"], @errors.map(&:message)
    assert_equal 1, others.size, "the others go on"
  end

  def test_a_fiber_runs_at_once_until_it_waits_and_its_starter_goes_on_next
    order = []
    run_fibers do
      Fiber.schedule { sleep(0) && order << :earlier }
      Fiber.schedule do
        order << 1
        sleep 0
        order << 3
      end
      order << 2
    end
    assert_equal [1, 2], order.first(2)
    assert_equal %i[earlier], order.grep(Symbol)
    assert_equal 3, order.last
  end

  def test_sleepers_wake_in_the_order_of_their_times_and_equal_ones_in_the_order_of_their_calls
    order = []
    took = seconds do
      run_fibers do
        [0.06, 0.02, 0.04].each { |time| Fiber.schedule { sleep(time) && order << time } }
        5.times { |number| Fiber.schedule { sleep(0) && order << number } }
      end
    end
    assert_equal [0, 1, 2, 3, 4, 0.02, 0.04, 0.06], order
    assert_operator took, :>=, 0.06, "no sleep ends early"
    run_fibers { assert_raises(ArgumentError) { sleep(-1) } }
  end

  def test_an_idle_loop_uses_no_processor
    used = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    run_fibers { sleep 0.5 }
    assert_operator Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - used, :<, 0.25
  end

  def test_pipes_and_sockets_are_read_and_written_by_fibers
    received = +""
    run_fibers do
      one, other = UNIXSocket.pair
      Fiber.schedule do
        one.write("x" * 1_000_000) # more than the socket holds: it waits to write
        one.close
      end
      while (part = other.read(10_000))
        received << part
      end
    end
    assert_equal 1_000_000, received.size
  end

  def test_two_fibers_may_wait_for_one_descriptor_each_for_its_own_event
    order = []
    run_fibers do
      one, other = UNIXSocket.pair
      Fiber.schedule { order << one.wait_readable.class }
      Fiber.schedule { order << (one.wait_readable(0.03) || :late) }
      Fiber.schedule { one.wait_writable && order << :writable }
      sleep 0.06
      other << "."
    end
    assert_equal [:writable, :late, UNIXSocket], order
  end

  def test_a_wait_with_a_time_out_ends_without_the_event_and_not_early
    run_fibers do
      reader, = IO.pipe
      took = seconds { assert_nil reader.wait_readable(0.05) }
      assert_operator took, :>=, 0.05
    end
  end

  def test_a_descriptor_number_that_another_file_gets_wakes_the_right_fiber
    [false, true].each do |seen_by_the_loop|
      run_fibers do
        lost, = IO.pipe
        number = lost.fileno
        Fiber.schedule { lost.wait_readable }
        sleep 0.001 if seen_by_the_loop
        lost.close
        reader, writer = IO.pipe
        assert_equal number, reader.fileno, "the system gives the lowest free number"
        Fiber.schedule { writer << "." }
        assert reader.wait_readable
      end
      assert_equal ["stream closed in another fiber"], @errors.map(&:message)
    end
  end

  def test_more_than_a_thousand_descriptors
    count = 1500
    _, most = Process.getrlimit(:NOFILE)
    skip "needs ulimit -n #{2 * count + 100}" if most < (2 * count) + 100
    Process.setrlimit(:NOFILE, most, most)
    woken = []
    run_fibers do
      pipes = Array.new(count) { IO.pipe }
      pipes.each_with_index do |(reader, _), number|
        Fiber.schedule do
          woken << number if reader.getc == "."
          reader.close
        end
      end
      assert_operator pipes.last.last.fileno, :>, 2 * count
      chosen = [count - 1, 0, 1100]
      chosen.each { |number| pipes[number].last << "." }
      sleep 0.05
      assert_equal chosen.sort, woken.sort, "those whose pipe has something, and no others"
      pipes.each { |_, writer| writer.close }
    end
    assert_equal 3, woken.size
  end

  def test_locks_queues_and_conditions_suspend_the_fiber_alone
    order = []
    run_fibers do
      lock = Mutex.new
      queue = Thread::Queue.new
      changed = ConditionVariable.new
      Fiber.schedule { lock.synchronize { sleep(0.02) && order << :locked_first } }
      Fiber.schedule { lock.synchronize { order << :locked_next } }
      Fiber.schedule { order << queue.pop }
      Fiber.schedule { lock.synchronize { changed.wait(lock) && order << :signalled } }
      queue << :popped
      sleep 0.05
      lock.synchronize { changed.signal }
    end
    assert_equal %i[popped locked_first locked_next signalled], order
  end

  def test_a_thread_wakes_a_fiber_each_time_and_no_wake_up_is_lost
    received = []
    run_fibers do
      queue = Thread::Queue.new
      answers = Thread::Queue.new
      thread = Thread.new { 500.times { |number| (queue << number) && answers.pop } }
      500.times do
        received << queue.pop
        answers << true
      end
      thread.join
    end
    assert_equal 500.times.to_a, received
  end

  def test_a_signal_that_comes_with_the_time_out_does_not_shorten_the_next_sleep
    run_fibers do
      lock = Mutex.new
      changed = ConditionVariable.new
      took = nil
      Fiber.schedule do
        lock.synchronize { changed.wait(lock, 0.02) }
        took = seconds { sleep 0.05 }
      end
      # Until the time is up, without letting the loop run: then the signal comes, too, in the same turn.
      Fiber.schedule do
        sleep 0.015
        nil while NeverBlock::Timers.now < (@until ||= NeverBlock::Timers.now + 0.02)
        changed.signal
      end
      sleep 0.15
      assert_operator took, :>=, 0.05
    end
  end

  def test_processes_names_and_threads_are_waited_for
    run_fibers do
      ticks = 0
      ticking = Fiber.schedule { loop { sleep(0.01) && ticks += 1 } }
      assert_equal "done\n", `sleep 0.1; echo done`
      assert_equal 3, Thread.new { sleep(0.1) && 3 }.value
      assert_includes Addrinfo.getaddrinfo("localhost", 80, nil, :STREAM).map(&:ip_address), "127.0.0.1"
      assert_raises(SocketError) { Addrinfo.getaddrinfo("no-such-host.invalid", 80) }
      assert_operator ticks, :>=, 5, "other fibers ran meanwhile"
      ticking.cancel
    end
  end

  def test_select_suspends_the_fiber_alone
    run_fibers do
      one, other = UNIXSocket.pair
      reader, writer = IO.pipe
      ticks = 0
      ticking = Fiber.schedule { loop { sleep(0.005) && ticks += 1 } }
      assert_nil IO.select([one], nil, [one], 0.03)
      assert_equal [[], [one], []], Kernel.select([one], [one])
      other << "."
      assert_nil select([reader], nil, nil, 0.01)
      assert_equal [[one], [], []], select([one], nil, [one], 1)
      writer << "."
      assert_equal [[reader], [], []], IO.select([reader], [], nil)
      assert_equal [[one, reader], [], []], IO.select([one, reader])
      assert_nil IO.select(nil, nil, nil, 0.03)
      assert_operator ticks, :>=, 3
      ticking.cancel
    end
  end

  def test_select_finds_what_was_read_and_not_taken
    run_fibers do
      reader, writer = IO.pipe
      writer << "one\ntwo\n"
      assert_equal "one\n", reader.gets
      assert_equal [[reader], [], []], IO.select([reader], nil, nil, 5)
      assert_equal "two\n", reader.gets
      assert_nil IO.select([reader], nil, nil, 0.01)
    end
  end

  def test_an_enumerator_may_wait_inside
    run_fibers do
      numbers = Enumerator.new { |yielder| 3.times { |number| sleep(0.001) && yielder << number } }
      assert_equal([0, 1, 2], Array.new(3) { numbers.next })
    end
  end

  def test_ordinary_blocking_clients_run_concurrently
    server = TCPServer.new("127.0.0.1", 0)
    port = server.addr[1]
    answering = Thread.new do
      clients = Array.new(10) { server.accept } # answers when all ten are there: one after the other, none would end
      clients.each do |client|
        nil until client.gets == "\r\n"
        client << "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
        client.close
      end
    end
    bodies = []
    run_fibers { 10.times { Fiber.schedule { bodies << Net::HTTP.get(URI("http://127.0.0.1:#{port}/")) } } }
    answering.join
    assert_equal ["ok"] * 10, bodies
  ensure
    server.close
  end
end
