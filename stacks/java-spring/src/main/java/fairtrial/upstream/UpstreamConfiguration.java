package fairtrial.upstream;

import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.util.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** The client of the upstream, with a pool of connections that are kept alive. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("fairtrial.upstream.url")
class UpstreamConfiguration {

    private static final Timeout TIMEOUT = Timeout.ofSeconds(10);

    @Bean
    CloseableHttpClient upstreamHttpClient(@Value("${fairtrial.upstream.connections}") int connections) {
        return HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnTotal(connections)
                        .setMaxConnPerRoute(connections)
                        .setDefaultConnectionConfig(
                                ConnectionConfig.custom().setConnectTimeout(TIMEOUT).build())
                        .build())
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setConnectionRequestTimeout(TIMEOUT)
                        .setResponseTimeout(TIMEOUT)
                        .build())
                .disableContentCompression() // the length asked for is that of the body as it was sent
                .disableRedirectHandling()
                .disableCookieManagement()
                .build();
    }

    @Bean
    RestClient upstream(CloseableHttpClient client, @Value("${fairtrial.upstream.url}") String url) {
        return RestClient.builder()
                .baseUrl(url)
                .requestFactory(new HttpComponentsClientHttpRequestFactory(client))
                .build();
    }
}
