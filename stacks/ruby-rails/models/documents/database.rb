# frozen_string_literal: true

# The driver's client: one for each process, with a pool of its own, connected when it is first needed.
module Database
  LOCK = Mutex.new

  class << self
    def [](collection)
      client[collection]
    end

    def ping
      client.database.command(ping: 1)
    end

    private

    def client
      @client || LOCK.synchronize { @client ||= connect }
    end

    def connect
      Mongo::Logger.logger = Rails.logger
      pool = Integer(ENV.fetch("DB_POOL", 16))
      # The driver's own reading of URLs needs a Ruby before 3.0.
      url = URI.parse(Service::URL)
      Mongo::Client.new(
        ["#{url.host}:#{url.port || 27_017}"],
        database: url.path.delete_prefix("/"),
        max_pool_size: pool,
        wait_queue_timeout: 10, # its second is short for a thread that waits while all others are served
        write: { w: 1, j: true }, # an acknowledged write is on disk, as it is with the other databases
        monitoring: false, # nobody listens to the events of each command
        **login(url)
      )
    end

    def login(url)
      return {} unless url.user

      ScramSha256.register
      user, password = [url.user, url.password].map { |part| URI.decode_www_form_component(part) }
      { user: user, password: password, auth_mech: ScramSha256::NAME }
    end
  end
end
