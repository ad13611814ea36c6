package fairtrial.pages;

import com.samskivert.mustache.Template;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;

/** The list of categories as HTML, kept in the cache. */
@Component
@ConditionalOnProperty({"spring.datasource.url", "fairtrial.cache.url"})
class CategoryFragment {

    private static final String KEY = "fragment:categories";
    private static final long LIFE_SECONDS = 60;
    private static final Template TEMPLATE = Templates.named("categories");

    private final PageRepository pages;
    private final RedisClient cache;

    CategoryFragment(PageRepository pages, RedisClient cache) {
        this.pages = pages;
        this.cache = cache;
    }

    String html() {
        String kept = cache.get(KEY);
        if (kept != null) {
            return kept;
        }
        String html = TEMPLATE.execute(Map.of("categories", pages.categoryNames()));
        cache.setex(KEY, LIFE_SECONDS, html);
        return html;
    }
}
