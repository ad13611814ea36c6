# frozen_string_literal: true

# From articles to term vectors: docs/workloads.md of the project, "similar-items", says the rules.
module Terms
  STOP_WORDS = %w[a an and are as at be by for from in is it of on or that the to was with].to_h { |word| [word, true] }
                                                                                           .freeze
  FIELD_WEIGHTS = { name: 10, description: 3, type: 1, tags: 1 }.freeze

  # For each article's id, a map from terms to weights, scaled to length 1.
  def self.vectors(articles)
    counts = articles.to_h { |article| [article[:id], count(article)] }
    frequencies = counts.each_value.flat_map(&:keys).tally
    counts.transform_values do |counted|
      scaled(counted.to_h { |term, number| [term, number * Math.log(articles.size / frequencies[term].to_f)] })
    end
  end

  # The same direction, of length 1.
  def self.scaled(weights)
    length = Math.sqrt(weights.each_value.sum { |weight| weight * weight })
    # Terms that every article has weigh nothing; an article may have no others.
    length.zero? ? {} : weights.transform_values { |weight| weight / length }
  end

  def self.count(article)
    FIELD_WEIGHTS.each_with_object(Hash.new(0)) do |(field, weight), counted|
      terms(article[field]).each { |term| counted[term] += weight }
    end
  end
  private_class_method :count

  def self.terms(text)
    text.downcase.scan(/[a-z]+/).reject { |word| STOP_WORDS[word] }.map { |word| stem(word) }
  end
  private_class_method :terms

  # Harman's S stemmer: D. Harman, How effective is suffixing?, JASIS 42(1), 1991, table 1.
  def self.stem(word)
    if word.size > 4 && word.end_with?("ies") && !word.end_with?("eies", "aies") then "#{word[0..-4]}y"
    elsif word.size > 3 && word.end_with?("es") && !word.end_with?("aes", "ees", "oes") then word[0..-2]
    elsif word.size > 2 && word.end_with?("s") && !word.end_with?("us", "ss") then word[0..-2]
    else word
    end
  end
  private_class_method :stem
end
