# frozen_string_literal: true

ENV["MT_NO_PLUGINS"] = "1" # a Rails that is installed would bring one
require "minitest/autorun"
require "net/http"
require "socket"
require "timeout"
require_relative "../lib/neverblock/http"

# Tests run one after the other, each with a scheduler of its own.
class Case < Minitest::Test
  GIVE_UP_SECONDS = 20

  # A test that hangs fails, with where it hangs: a lost wake-up is what these tests look for.
  def run
    tested = Thread.current
    watch = Thread.new do
      sleep GIVE_UP_SECONDS
      tested.raise("#{name} hangs")
    end
    super
  ensure
    watch.kill
  end

  private

  def seconds
    start = NeverBlock::Timers.now
    yield
    NeverBlock::Timers.now - start
  end

  # Runs the block under a scheduler. Errors that end fibers are collected in @errors.
  def run_fibers(**options, &block)
    @errors = []
    NeverBlock.run(report_error: ->(error) { @errors << error }, **options, &block)
  end
end
