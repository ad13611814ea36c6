package fairtrial.units;

import fairtrial.NeedsDatabase;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;

@Repository
@NeedsDatabase
class UnitRepository {

    private final JdbcClient jdbc;

    UnitRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    long count() {
        return jdbc.sql("SELECT count(*) FROM units").query(Long.class).single();
    }

    long countByLabel(String label) {
        return jdbc.sql("SELECT count(*) FROM units WHERE label = ?").param(label).query(Long.class).single();
    }

    /** Inserts a unit and gives its id. */
    long insert(String name, long value, String label) {
        KeyHolder id = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO units (name, value, label) VALUES (?, ?, ?)").params(name, value, label).update(id, "id");
        return id.getKeyAs(Number.class).longValue();
    }

    void increment(long id) {
        jdbc.sql("UPDATE units SET value = value + 1 WHERE id = ?").param(id).update();
    }
}
