# frozen_string_literal: true

require "delegate"
require "rabl"

Rabl.configure { |config| config.include_json_root = false }

# A database whose random items Rabl has rendered, as in the published program.
class Rendered < SimpleDelegator
  Item = Struct.new(:id, :uuid, :name, :hash_code, :created_at, keyword_init: true)
  VIEWS = File.expand_path("../views", __dir__)

  def random_item
    Rabl::Renderer.new("items/base", Item.new(**super), format: "hash", view_path: VIEWS).render
  end
end
