# frozen_string_literal: true

# Rows of several threads, written together: after `size` rows, or 5 ms after the first of them.
class Batches
  LONGEST_WAIT_SECONDS = 0.005

  Batch = Struct.new(:rows, :state, :error)

  def initialize(size, &write)
    @size = size
    @write = write
    @lock = Mutex.new
    @changed = ConditionVariable.new
  end

  # Returns when this row is written, with those that came meanwhile. Whoever began a batch, or fills it, writes it.
  def add(row)
    batch, ours = join(row)
    write(batch) if ours
    raise batch.error if batch.error
  end

  private

  def join(row)
    @lock.synchronize do
      first = @open.nil?
      batch = @open ||= Batch.new([], :open)
      batch.rows << row
      return [close(batch), true] if batch.rows.size >= @size

      return [close(batch), true] if first && !closed_within(batch, LONGEST_WAIT_SECONDS)

      @changed.wait(@lock) until batch.state == :written
      [batch, false]
    end
  end

  def close(batch)
    batch.state = :closed
    @open = nil
    @changed.broadcast
    batch
  end

  def closed_within(batch, seconds)
    deadline = now + seconds
    while batch.state == :open
      left = deadline - now
      return false unless left.positive?

      @changed.wait(@lock, left)
    end
    true
  end

  def write(batch)
    @write.call(batch.rows)
  rescue StandardError => error
    batch.error = error
  ensure
    @lock.synchronize do
      batch.state = :written
      @changed.broadcast
    end
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
