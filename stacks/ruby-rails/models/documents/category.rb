# frozen_string_literal: true

module Category
  def self.in_order
    Database[:categories].find.sort(_id: 1).map do |document|
      { id: document["_id"], **document.slice("name", "slug", "description").symbolize_keys }
    end
  end
end
