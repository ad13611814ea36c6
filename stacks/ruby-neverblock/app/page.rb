# frozen_string_literal: true

require "cgi"

# page: an item's page of three queries, and the list of categories from the cache.
class Page
  FRAGMENT = "fragment:categories"
  FRAGMENT_SECONDS = 60

  def initialize(database, cache)
    @database = database
    @cache = cache
  end

  # nil if there is no such item.
  def html(id)
    item = @database.page_item(id) || return
    before = @database.names_before(id)
    render(item, before, @database.category_count, category_list)
  end

  private

  def category_list
    @cache.get(FRAGMENT) || begin
      fragment = "<ul>#{items(@database.category_names)}</ul>"
      @cache.put(FRAGMENT, fragment, FRAGMENT_SECONDS)
      fragment
    end
  end

  def render(item, before, count, navigation)
    name = escape(item[:name])
    "<!doctype html><html><head><meta charset=\"utf-8\"><title>#{name}</title></head><body>" \
      "<nav>#{navigation}</nav>" \
      "<h1>#{name}</h1><p>#{escape(item[:uuid])}</p><p>#{escape(item[:description])}</p>" \
      "<ol>#{items(before)}</ol>" \
      "<footer>#{count} categories</footer></body></html>"
  end

  def items(texts)
    texts.map { |text| "<li>#{escape(text)}</li>" }.join
  end

  def escape(text)
    CGI.escapeHTML(text)
  end
end
