package fairtrial;

import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Spring Boot has no property for. */
@Configuration(proxyBeanMethods = false)
class TomcatConfiguration {

    /** After the time for a graceful end, threads that still wait are not waited for: by default Tomcat does for 5 s. */
    @Bean
    TomcatConnectorCustomizer shortTermination() {
        return connector -> connector.setProperty("executorTerminationTimeoutMillis", "200");
    }
}
