# frozen_string_literal: true

require "tmpdir"

# Runs commands together in a temporary folder of theirs: when one ends, or on SIGTERM, all are ended, and the folder is
# removed.
module Supervise
  LOOK_EVERY_SECONDS = 0.05

  # The block gets the folder and gives the commands, as lists of words. Returns the exit status.
  def self.run
    Dir.mktmpdir("ruby-rails-") do |folder|
      told = false
      %w[TERM INT].each { |signal| trap(signal) { told = true } }
      running = yield(folder).map { |command| Process.spawn(*command) }
      ended = nil
      sleep LOOK_EVERY_SECONDS until told || (ended = Process.wait(-1, Process::WNOHANG))
      (running - [ended]).each { |pid| Process.kill("TERM", pid) }
      Process.waitall
      told ? 0 : 1
    end
  end
end
