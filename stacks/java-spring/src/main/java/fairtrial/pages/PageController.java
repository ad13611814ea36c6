package fairtrial.pages;

import com.samskivert.mustache.Template;
import fairtrial.NotFoundException;
import fairtrial.pages.PageRepository.PageItem;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The workload page. */
@RestController
@ConditionalOnProperty({"spring.datasource.url", "fairtrial.cache.url"})
class PageController {

    private static final int ITEMS_BEFORE = 10;
    private static final Template TEMPLATE = Templates.named("page");

    private final PageRepository pages;
    private final CategoryFragment categories;

    /** What the template shows; `categories` is HTML. */
    private record Content(PageItem item, List<String> before, long count, String categories) {}

    PageController(PageRepository pages, CategoryFragment categories) {
        this.pages = pages;
        this.categories = categories;
    }

    @GetMapping(path = "/pages/{id:[0-9]{1,18}}", produces = "text/html;charset=utf-8")
    String page(@PathVariable long id) {
        PageItem item = pages.item(id).orElseThrow(NotFoundException::new);
        return TEMPLATE.execute(new Content(
                item, pages.namesBefore(id, ITEMS_BEFORE), pages.countCategories(), categories.html()));
    }
}
