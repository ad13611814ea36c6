# frozen_string_literal: true

module NeverBlock
  # Ruby 3.2 asks the scheduler in IO.select and Kernel#select; before, they blocked the thread. This asks it, too.
  module IOSelect
    def select(*arguments)
      scheduler = Fiber.current_scheduler
      scheduler.is_a?(Scheduler) ? scheduler.io_select(*arguments) : super
    end

    # Without a receiver, as `puts` is called.
    module Everywhere
      private

      def select(*arguments)
        scheduler = Fiber.current_scheduler
        scheduler.is_a?(Scheduler) ? scheduler.io_select(*arguments) : super
      end
    end

    if RUBY_VERSION < "3.2"
      IO.singleton_class.prepend(self)
      Kernel.singleton_class.prepend(self)
      Kernel.prepend(Everywhere)
    end
  end
end
