# frozen_string_literal: true

# Queries without a table: short ones, and those that wait in the database.
class QueriesController < ApplicationController
  DECIMAL = /\A\d{1,5}\z/.freeze
  MILLISECONDS = (1..10_000).freeze
  SHORT_QUERIES = (0..1000).freeze

  def short
    render json: { value: Query.one }
  end

  def long
    milliseconds = number(params[:milliseconds], MILLISECONDS)
    return head(:bad_request) unless milliseconds

    Query.sleep(milliseconds / 1000.0)
    render json: { slept: milliseconds }
  end

  def chain
    milliseconds = number(params[:milliseconds], MILLISECONDS)
    short = number(params[:short], SHORT_QUERIES)
    return head(:bad_request) unless milliseconds && short

    Query.sleep(milliseconds / 1000.0)
    render json: { slept: milliseconds, sum: Array.new(short) { Query.one }.sum }
  end

  private

  # The number that the text writes in decimal; nil if it is not within the range.
  def number(text, range)
    number = text.to_i if DECIMAL.match?(text)
    number if range.cover?(number)
  end
end
