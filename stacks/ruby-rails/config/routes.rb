# frozen_string_literal: true

Rails.application.routes.draw do
  get "health", to: "health#show"
  get "plaintext", to: "plaintext#show"

  post "survey/:survey/:user", to: "surveys#create"
  put "survey/:survey/:user", to: "surveys#replace"
  post "surveybatched/:survey/:user", to: "surveys#create_batched"

  next if Service.none?

  get "items/random", to: "items#random"
  get "items/:uuid", to: "items#show"
  get "categories", to: "categories#index"
  get "pages/:id", to: "pages#show" if Service.relational? && Service.cache?
end
