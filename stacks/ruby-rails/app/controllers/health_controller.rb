# frozen_string_literal: true

class HealthController < ApplicationController
  def show
    return head(:service_unavailable) unless Started.all?

    Database.ping
    Rails.cache.redis.ping if Service.cache?
    render plain: "ok"
  rescue StandardError => error
    logger.error("GET /health: #{error.message}")
    head :service_unavailable
  end
end
