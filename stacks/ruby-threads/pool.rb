# frozen_string_literal: true

# Connections that threads take and give back. The one used last is taken first.
class Pool
  def initialize(size, &connect)
    @idle = Array.new(size, &connect)
    @lock = Mutex.new
    @given_back = ConditionVariable.new
  end

  def with
    connection = take
    yield connection
  ensure
    give_back(connection) if connection
  end

  private

  def take
    @lock.synchronize do
      @given_back.wait(@lock) while @idle.empty?
      @idle.pop
    end
  end

  def give_back(connection)
    @lock.synchronize do
      @idle.push(connection)
      @given_back.signal
    end
  end
end
