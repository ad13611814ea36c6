# frozen_string_literal: true

class UnitsController < ApplicationController
  def create
    work = Unit::BY_WEIGHT[params[:weight]]
    work ? render(json: { units: Unit.uncached(&work) }) : head(:not_found)
  end
end
