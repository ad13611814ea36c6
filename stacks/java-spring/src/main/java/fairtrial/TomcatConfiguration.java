package fairtrial;

import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Spring Boot has no property for. */
@Configuration(proxyBeanMethods = false)
class TomcatConfiguration {

    /** After the time for a graceful end, no thread is waited for. By default Tomcat waits up to 5 s for them. */
    @Bean
    TomcatConnectorCustomizer shortTermination() {
        return connector -> connector.setProperty("executorTerminationTimeoutMillis", "200");
    }
}
