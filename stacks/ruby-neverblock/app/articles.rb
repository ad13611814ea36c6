# frozen_string_literal: true

require "set"
require_relative "once"
require_relative "terms"

# similar-items and matching-mix: articles and their term vectors are kept, matches are computed in each request.
class Articles
  MOST_SIMILAR = 10

  # What is kept of the articles, by id.
  Known = Struct.new(:names, :vectors)

  def initialize(database)
    @known = Once.new do
      articles = database.articles
      Known.new(articles.to_h { |article| article.values_at(:id, :name) }, Terms.vectors(articles))
    end
    @rated = Once.new do
      database.ratings.group_by { |rating| rating[:user_number] }
              .transform_values { |ratings| ratings.map { |rating| rating[:article_id] } }
    end
  end

  # nil if there is no article with this id.
  def name(id)
    @known.value.names[id]
  end

  # Ids of the other articles, most similar first, ties by lower id; nil if there is no article with this id.
  def similar_to(id)
    vectors = @known.value.vectors
    mine = vectors[id] || return
    most_similar(mine, vectors, Set[id]).map(&:first)
  end

  # [id, similarity] of the articles most similar to the sum of those that a user rated, without them; nil if he rated
  # none.
  def best_for(user)
    rated = @rated.value[user] || return
    vectors = @known.value.vectors
    most_similar(sum(vectors.values_at(*rated)), vectors, rated.to_set)
  end

  private

  def most_similar(mine, vectors, left_out)
    others = vectors.filter_map { |id, vector| [-cosine(mine, vector), id] unless left_out.include?(id) }
    others.min(MOST_SIMILAR).map { |negative, id| [id, -negative] }
  end

  # Both are of length 1.
  def cosine(one, other)
    one, other = other, one if other.size < one.size
    sum = 0.0
    one.each { |term, weight| (found = other[term]) && sum += weight * found }
    sum
  end

  # Of length 1, too.
  def sum(vectors)
    total = Hash.new(0.0)
    vectors.each { |vector| vector.each { |term, weight| total[term] += weight } }
    Terms.scaled(total)
  end
end
