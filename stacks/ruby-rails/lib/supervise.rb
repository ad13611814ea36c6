# frozen_string_literal: true

require "tmpdir"

# Runs commands together in a temporary folder of theirs: when one ends, or on SIGTERM, all are ended, and the folder is
# removed.
module Supervise
  DAEMON_ENDS_WITHIN_SECONDS = 3
  LOOK_EVERY_SECONDS = 0.05

  # The block gets the folder and gives the commands, as lists of words. Returns the exit status.
  def self.run
    # Passenger puts sockets deep below it, and a socket's path has 107 bytes at most (unix(7)).
    Dir.mktmpdir do |folder|
      told = false
      %w[TERM INT].each { |signal| trap(signal) { told = true } }
      running = yield(folder).map { |command| Process.spawn(*command) }
      ended = nil
      sleep LOOK_EVERY_SECONDS until told || (ended = Process.wait(-1, Process::WNOHANG))
      (running - [ended]).each { |pid| Process.kill("TERM", pid) }
      Process.waitall
      await_daemons(folder)
      told ? 0 : 1
    end
  end

  # Passenger's command ends before the daemon that it started, which needs the folder to clean up.
  def self.await_daemons(folder)
    Dir.glob("#{folder}/*.pid").each do |file|
      pid = File.read(file).to_i
      deadline = now + DAEMON_ENDS_WITHIN_SECONDS
      sleep LOOK_EVERY_SECONDS while pid.positive? && now < deadline && Process.kill(0, pid)
    rescue SystemCallError
      next # it has ended
    end
  end
  private_class_method :await_daemons

  def self.now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
  private_class_method :now
end
