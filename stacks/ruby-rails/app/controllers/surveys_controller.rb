# frozen_string_literal: true

# Answers when the database has committed.
class SurveysController < ApplicationController
  NAME = /\A[a-z0-9-]{1,32}\z/.freeze
  NUMBER = /\A[1-9]\d{0,9}\z/.freeze
  LARGEST_USER = 2_147_483_647

  before_action :refuse_malformed

  def create
    Survey.store(row)
    head :created
  end

  def create_batched
    SurveyBatches.add(row)
    head :created
  end

  def replace
    Survey.replace(row)
    head :created
  end

  private

  def refuse_malformed
    named = NAME.match?(params[:survey]) && NUMBER.match?(params[:user]) && params[:user].to_i <= LARGEST_USER
    head :bad_request unless named && answers
  end

  def row
    { survey: params[:survey], user_number: params[:user].to_i, answers: answers }
  end

  # The body, if it is a JSON object. Rails' own parameters would have changed some of it.
  def answers
    @answers ||= JSON.parse(request.raw_post).then { |parsed| parsed if parsed.is_a?(Hash) }
  rescue JSON::ParserError
    nil
  end
end
