package fairtrial;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import redis.clients.jedis.RedisClient;

/** Answers once database and cache do. */
@RestController
class HealthController {

    private final ObjectProvider<JdbcClient> database;
    private final ObjectProvider<RedisClient> cache;

    HealthController(ObjectProvider<JdbcClient> database, ObjectProvider<RedisClient> cache) {
        this.database = database;
        this.cache = cache;
    }

    @GetMapping(path = "/health", produces = MediaType.TEXT_PLAIN_VALUE)
    String health() {
        database.ifAvailable(jdbc -> jdbc.sql("SELECT 1").query(Integer.class).single());
        cache.ifAvailable(RedisClient::ping);
        return "ok";
    }
}
