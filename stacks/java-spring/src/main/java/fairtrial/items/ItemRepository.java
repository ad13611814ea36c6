package fairtrial.items;

import fairtrial.NeedsDatabase;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.util.function.SingletonSupplier;

@Repository
@NeedsDatabase
class ItemRepository {

    private static final String COLUMNS = "id, uuid, name, hash_code, created_at";
    private static final RowMapper<Item> ITEM = (row, number) -> new Item(
            row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getTimestamp(5).toInstant());

    private final JdbcClient jdbc;
    /** Read when first needed, and again after an error. */
    private final SingletonSupplier<Bounds> bounds = SingletonSupplier.of(this::readBounds);

    /** The first and the last id. */
    private record Bounds(long first, long last) {}

    ItemRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Draws an id and reads the first item from there on. */
    Item random() {
        Bounds ids = bounds.obtain();
        return jdbc.sql("SELECT " + COLUMNS + " FROM items WHERE id >= ? ORDER BY id LIMIT 1")
                .param(ThreadLocalRandom.current().nextLong(ids.first(), ids.last() + 1))
                .query(ITEM)
                .single();
    }

    Optional<Item> byUuid(String uuid) {
        return jdbc.sql("SELECT " + COLUMNS + " FROM items WHERE uuid = ?").param(uuid).query(ITEM).optional();
    }

    Optional<String> name(long id) {
        return jdbc.sql("SELECT name FROM items WHERE id = ?").param(id).query(String.class).optional();
    }

    private Bounds readBounds() {
        return jdbc.sql("SELECT min(id), max(id) FROM items")
                .query((row, number) -> new Bounds(row.getLong(1), row.getLong(2)))
                .single();
    }
}
