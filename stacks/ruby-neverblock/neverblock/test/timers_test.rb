# frozen_string_literal: true

require_relative "support"

class TimersTest < Case
  def test_what_is_due_is_called_in_order_and_what_is_cancelled_is_not
    timers = NeverBlock::Timers.new
    draw = Random.new(1)
    called = []
    # Few different times, so that many are equal, and all of them in the past.
    added = Array.new(300) do |number|
      at = draw.rand(20)
      [at, number, timers.after(at - 100) { called << [at, number] }]
    end
    cancelled, left = added.partition { draw.rand < 0.5 }
    cancelled.each { |_, _, timer| 2.times { timer.cancel } }

    timers.fire

    assert_equal left.map { |at, number, _| [at, number] }.sort, called
    assert_equal 0, timers.size
    assert_nil timers.seconds_until_next
  end

  def test_what_is_not_due_waits
    timers = NeverBlock::Timers.new
    timer = timers.after(100) { flunk }
    timers.fire
    assert_in_delta 100, timers.seconds_until_next, 10
    timer.cancel
    assert_nil timers.seconds_until_next
  end
end
