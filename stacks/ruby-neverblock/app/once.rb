# frozen_string_literal: true

# What is read once, when it is first needed. Who asks meanwhile waits for the same; after an error it is read again.
class Once
  def initialize(&read)
    @read = read
    @lock = Mutex.new
  end

  def value
    @value || @lock.synchronize { @value ||= @read.call }
  end
end
