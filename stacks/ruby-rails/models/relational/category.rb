# frozen_string_literal: true

class Category < ApplicationRecord
  def self.in_order
    select(:id, :name, :slug, :description).order(:id)
  end
end
