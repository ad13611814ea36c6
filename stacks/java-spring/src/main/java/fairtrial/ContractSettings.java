package fairtrial;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;

/**
 * The variables of the stack contract as properties of Spring Boot.
 *
 * <p>A JVM is one process for all processors: it takes the threads and connections of WEB_CONCURRENCY processes.
 */
final class ContractSettings {

    private static final String NO_DATABASE = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

    private final Map<String, String> environment;

    ContractSettings(Map<String, String> environment) {
        this.environment = environment;
    }

    Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("server.address", text("HOST", "127.0.0.1"));
        properties.put("server.port", text("PORT", "8080"));

        int processes = number("WEB_CONCURRENCY", 1);
        int requests = number("MAX_CONCURRENCY", processes * number("MAX_THREADS", 16));
        // Without effect on virtual threads, of which each request has its own: there the pools are the bound.
        properties.put("server.tomcat.threads.max", requests);
        properties.put("server.tomcat.threads.min-spare", requests);
        // Those that send streams of events, beside the ones that take requests.
        properties.put("spring.task.execution.pool.core-size", requests);
        int connections = Math.min(requests, processes * number("DB_POOL", 16));

        String databaseUrl = text("DATABASE_URL", "");
        if (databaseUrl.isEmpty()) {
            properties.put("spring.autoconfigure.exclude", NO_DATABASE);
        } else {
            properties.putAll(dataSource(URI.create(databaseUrl)));
            properties.put("spring.datasource.hikari.maximum-pool-size", connections);
        }
        String cacheUrl = text("CACHE_URL", "");
        if (!cacheUrl.isEmpty()) {
            properties.put("fairtrial.cache.url", cacheUrl);
            properties.put("fairtrial.cache.connections", connections);
        }
        String upstreamUrl = text("UPSTREAM_URL", "");
        if (!upstreamUrl.isEmpty()) {
            properties.put("fairtrial.upstream.url", upstreamUrl);
            properties.put("fairtrial.upstream.connections", Math.min(requests, number("UPSTREAM_POOL", 16)));
        }
        return properties;
    }

    /** {@code postgresql://USER:PASSWORD@HOST:PORT/DATABASE}, and {@code mysql://} for MariaDB, as JDBC has it. */
    private static Map<String, Object> dataSource(URI url) {
        String driver = switch (url.getScheme()) {
            case "postgresql" -> "postgresql";
            case "mysql" -> "mariadb";
            case null, default -> throw new IllegalArgumentException("DATABASE_URL: postgresql:// or mysql:// is needed");
        };
        String options = switch (driver) {
            case "postgresql" -> "?socketTimeout=60";
            // Statements are prepared on the server and kept, as PostgreSQL's driver does by itself.
            default -> "?socketTimeout=60000&useServerPrepStmts=true";
        };
        String server = url.getHost() + ":" + url.getPort();
        String[] login = url.getUserInfo() == null ? new String[0] : url.getUserInfo().split(":", 2);
        return Map.of(
                "spring.datasource.url", "jdbc:" + driver + "://" + server + url.getPath() + options,
                "spring.datasource.username", login.length > 0 ? login[0] : "",
                "spring.datasource.password", login.length > 1 ? login[1] : "");
    }

    private String text(String name, String fallback) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? fallback : value;
    }

    private int number(String name, int fallback) {
        String value = text(name, Integer.toString(fallback));
        if (!value.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException(name + " must be a whole number from 1, not " + value);
        }
        return Integer.parseInt(value);
    }
}
