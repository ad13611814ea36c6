# frozen_string_literal: true

require_relative "once"
require_relative "terms"

# similar-items: articles and their term vectors are kept, similarities are computed in each request.
class Articles
  MOST_SIMILAR = 10

  def initialize(database)
    @vectors = Once.new { Terms.vectors(database.articles) }
  end

  # Ids of the other articles, most similar first, ties by lower id; nil if there is no article with this id.
  def similar_to(id)
    vectors = @vectors.value
    mine = vectors[id] || return
    others = vectors.filter_map { |other, vector| [-cosine(mine, vector), other] unless other == id }
    others.min(MOST_SIMILAR).map(&:last)
  end

  private

  # Both are of length 1.
  def cosine(one, other)
    sum = 0.0
    one.each { |term, weight| (found = other[term]) && sum += weight * found }
    sum
  end
end
