# frozen_string_literal: true

require_relative "support"

class HoldWatchTest < Case
  def test_a_fiber_that_holds_up_the_others_is_reported_once_with_where_it_is
    reports = reports_of do |so_far|
      compute(10) { so_far.any? } # the watching thread gets its turn late on a busy machine
      compute(0.3) { so_far.size > 1 }
    end
    assert_equal 1, reports.size
    held, backtrace = reports.first
    assert_operator held, :>=, 0.05
    assert(backtrace.any? { |line| line.include?("compute") }, backtrace.join("\n"))
  end

  def test_fibers_that_wait_are_not_reported
    assert_empty reports_of { 10.times { sleep 0.03 } }
  end

  private

  def reports_of
    reports = []
    run_fibers(hold_limit_milliseconds: 50, report_hold: ->(*report) { reports << report }) { yield reports }
    reports
  end

  # Computes until the block is true, for so long at most.
  def compute(seconds)
    ends_at = NeverBlock::Timers.now + seconds
    nil until yield || NeverBlock::Timers.now >= ends_at
  end
end
