package fairtrial.upstream;

import java.io.OutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/** The workload fan-out. */
@RestController
@ConditionalOnProperty("fairtrial.upstream.url")
class FanOutController {

    private static final Logger LOG = LoggerFactory.getLogger(FanOutController.class);

    private final RestClient upstream;

    record Answer(int status, long bytes) {}

    FanOutController(RestClient upstream) {
        this.upstream = upstream;
    }

    @GetMapping("/fan-out")
    Answer fanOut() {
        return upstream.get().exchange((request, response) -> {
            // Read to the end, or the connection cannot be used again.
            long length = response.getBody().transferTo(OutputStream.nullOutputStream());
            return new Answer(response.getStatusCode().value(), length);
        });
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_GATEWAY)
    void answerBadGateway(RestClientException failure) {
        LOG.error("upstream: {}", failure.getMessage());
    }
}
