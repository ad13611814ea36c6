package fairtrial.pages;

import java.net.URI;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;

/** The cache's client, with a pool of connections. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("fairtrial.cache.url")
class CacheConfiguration {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    @Bean
    RedisClient cache(
            @Value("${fairtrial.cache.url}") URI url, @Value("${fairtrial.cache.connections}") int connections) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        pool.setMaxWait(LONGEST_WAIT);
        pool.setJmxEnabled(false);
        return RedisClient.builder().fromURI(url).poolConfig(pool).build();
    }
}
