# frozen_string_literal: true

module PagesHelper
  # From the cache, or rendered and kept there. It was escaped when it was rendered.
  def category_list
    Rails.cache.fetch("fragment:categories", expires_in: 60.seconds, raw: true) do
      render("categories", categories: Category.in_order)
    end.html_safe
  end
end
