# frozen_string_literal: true

class CategoriesController < ApplicationController
  def index
    render json: Category.in_order
  end
end
