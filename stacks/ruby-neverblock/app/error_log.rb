# frozen_string_literal: true

# Errors to standard error: the first of a kind at once, then at most one line a second with the number left out.
module ErrorLog
  EVERY_SECONDS = 1

  @kinds = {}
  @lock = Mutex.new

  def self.add(kind, error)
    line = @lock.synchronize { line(kind, error) }
    warn line if line
  end

  def self.line(kind, error)
    now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    last, left_out = @kinds[kind]
    if last && now < last + EVERY_SECONDS
      @kinds[kind] = [last, left_out + 1]
      return
    end
    @kinds[kind] = [now, 0]
    more = " (and #{left_out} more since the last line)" if left_out&.positive?
    "ruby-neverblock: #{kind}: #{error.class}: #{error.message.lines.first&.chomp}#{more}"
  end
  private_class_method :line
end
