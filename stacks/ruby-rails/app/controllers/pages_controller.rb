# frozen_string_literal: true

# HTML: what renders views is no part of ActionController::API.
class PagesController < ActionController::Base
  def show
    @item = Item.find_by(id: params[:id])
    return head(:not_found) unless @item

    @preceding = @item.preceding
    @category_count = Category.count
  end
end
