package fairtrial.queries;

import fairtrial.NeedsDatabase;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Asks the database without a table. */
@Repository
@NeedsDatabase
class QueryRepository {

    private final JdbcClient jdbc;
    private final String sleep;

    QueryRepository(
            JdbcClient jdbc,
            @Value("${spring.datasource.url}") String url,
            @Value("${LONG_FUNCTION:}") String function) {
        this.jdbc = jdbc;
        sleep = DatabaseDriver.fromJdbcUrl(url) == DatabaseDriver.POSTGRESQL
                ? "SELECT 0 FROM " + (function.isEmpty() ? "pg_sleep" : function) + "(?)"
                : "SELECT " + (function.isEmpty() ? "SLEEP" : function) + "(?)";
    }

    int one() {
        return jdbc.sql("SELECT 1").query(Integer.class).single();
    }

    /** Has the database sleep, or work. */
    void sleep(double seconds) {
        int interrupted = jdbc.sql(sleep).param(seconds).query(Integer.class).single();
        if (interrupted != 0) {
            throw new IllegalStateException("the sleep was interrupted");
        }
    }
}
