# frozen_string_literal: true

Rails.application.routes.draw do
  get "health", to: "health#show"
  get "plaintext", to: "plaintext#show"

  post "survey/:survey/:user", to: "surveys#create"
  put "survey/:survey/:user", to: "surveys#replace"
  post "surveybatched/:survey/:user", to: "surveys#create_batched"

  next if Service.none?

  if Service.relational?
    get "queries/short", to: "queries#short"
    get "queries/long/:milliseconds", to: "queries#long"
    get "queries/chain/:milliseconds/:short", to: "queries#chain"
    post "units/:weight", to: "units#create"
  end

  get "items/random", to: "items#random"
  get "items/:uuid", to: "items#show"
  get "categories", to: "categories#index"
  get "pages/:id", to: "pages#show" if Service.relational? && Service.cache?
end
