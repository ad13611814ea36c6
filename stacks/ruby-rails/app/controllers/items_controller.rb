# frozen_string_literal: true

class ItemsController < ApplicationController
  def random
    answer Item.at_random
  end

  def show
    answer Item.by_uuid(params[:uuid])
  end

  private

  def answer(item)
    item ? render(json: item) : head(:not_found)
  end
end
