package fairtrial.pages;

import fairtrial.NeedsDatabase;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Asks what a page shows. */
@Repository
@NeedsDatabase
class PageRepository {

    private final JdbcClient jdbc;

    /** What a page shows of its item. */
    record PageItem(String name, String uuid, String description) {}

    PageRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Optional<PageItem> item(long id) {
        return jdbc.sql("SELECT name, uuid, description FROM items WHERE id = ?")
                .param(id)
                .query(PageItem.class)
                .optional();
    }

    /** The names of the items before this one, the nearest first. */
    List<String> namesBefore(long id, int limit) {
        return jdbc.sql("SELECT name FROM items WHERE id < ? ORDER BY id DESC LIMIT ?")
                .params(id, limit)
                .query(String.class)
                .list();
    }

    long countCategories() {
        return jdbc.sql("SELECT count(*) FROM categories").query(Long.class).single();
    }

    List<String> categoryNames() {
        return jdbc.sql("SELECT name FROM categories ORDER BY id").query(String.class).list();
    }
}
