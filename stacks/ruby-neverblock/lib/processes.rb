# frozen_string_literal: true

# The same work in several processes.
module Processes
  # Runs the block in `count` children until a signal comes, or one of them ends by itself. With one, it runs here.
  def self.run(count, &block)
    return block.call if count == 1

    children = Array.new(count) { fork(&block) }
    told = false
    %w[TERM INT].each do |signal|
      trap(signal) do
        told = true
        children.each { |child| Process.kill("TERM", child) }
      end
    end
    ended = Process.wait
    (children - [ended]).each { |child| Process.kill("TERM", child) } unless told
    Process.waitall
    exit 1 unless told
  end
end
