# frozen_string_literal: true

require "active_record"
require "active_record/connection_adapters/mysql2_adapter"
require "em-synchrony"
require "em-synchrony/mysql2"
require "em-synchrony/thread"

module Databases
  # Active Record on Mysql2::EM: a query yields the fiber until its result is there. The bounds of the ids are read for
  # each item.
  class Records
    # For Active Record's adapter.
    module ClientsThatYield
      def new_client(config)
        Mysql2::EM::Client.new(config)
      end
    end

    # For Active Record's pools. Without it all fibers of the thread would share one connection.
    module ConnectionPerFiber
      private

      def connection_cache_key(_thread)
        Fiber.current
      end
    end

    ActiveRecord::ConnectionAdapters::Mysql2Adapter.singleton_class.prepend(ClientsThatYield)
    ActiveRecord::ConnectionAdapters::ConnectionPool.prepend(ConnectionPerFiber)

    class Item < ActiveRecord::Base
      scope :answered, -> { select(:id, :uuid, :name, :hash_code, :created_at) }
    end

    class Category < ActiveRecord::Base; end

    def initialize(url, pool_size)
      # Whoever waits for Active Record's own pool, or for its locks, holds up the event loop.
      @turns = EM::Synchrony::ConnectionPool.new(size: pool_size) { :turn }
      @reading_columns = EM::Synchrony::Thread::Mutex.new
      @known = {}
      ActiveRecord::Base.establish_connection(
        adapter: "mysql2", host: url.host, port: url.port, username: url.user, password: url.password,
        database: url.path.delete_prefix("/"), encoding: "utf8mb4", pool: pool_size
      )
    end

    def ping
      connected { |connection| connection.execute("SELECT 1") }
    end

    # The first item at or after a random id.
    def random_item
      connected do
        id = rand(known(Item).minimum(:id)..Item.maximum(:id))
        item_of(Item.answered.where("id >= ?", id).order(:id).first)
      end
    end

    def item(uuid)
      connected { item_of(known(Item).answered.find_by(uuid: uuid)) }
    end

    def categories
      connected { known(Category).order(:id).pluck(:id, :name, :slug, :description) }
        .map { |values| %i[id name slug description].zip(values).to_h }
    end

    private

    def connected(&work)
      @turns.execute(false) { ActiveRecord::Base.connection_pool.with_connection(&work) }
    end

    # The model, with the columns of its table, which the first fiber reads.
    def known(model)
      @known.fetch(model) { @reading_columns.synchronize { @known[model] = model.tap(&:define_attribute_methods) } }
    end

    def item_of(item)
      item && { **item.attributes.symbolize_keys, created_at: item.created_at.strftime("%FT%TZ") }
    end
  end
end
