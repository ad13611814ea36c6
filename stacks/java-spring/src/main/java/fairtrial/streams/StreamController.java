package fairtrial.streams;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** The workload stream: each stream is a task of Spring Boot's executor, which has platform or virtual threads. */
@RestController
class StreamController {

    private static final int MOST_EVENTS = 1_000;
    private static final int LONGEST_PAUSE_MILLISECONDS = 10_000;
    private static final long WITHOUT_TIMEOUT = 0;

    private final AsyncTaskExecutor applicationTaskExecutor;
    private final Set<SseEmitter> open = ConcurrentHashMap.newKeySet();

    record Greeting(int number, String text) {}

    StreamController(AsyncTaskExecutor applicationTaskExecutor) {
        this.applicationTaskExecutor = applicationTaskExecutor;
    }

    @GetMapping("/stream/{events}/{milliseconds}")
    ResponseEntity<SseEmitter> stream(@PathVariable int events, @PathVariable int milliseconds) {
        boolean possible = events >= 1 && events <= MOST_EVENTS;
        if (!possible || milliseconds < 1 || milliseconds > LONGEST_PAUSE_MILLISECONDS) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
        SseEmitter emitter = new SseEmitter(WITHOUT_TIMEOUT);
        open.add(emitter);
        emitter.onCompletion(() -> open.remove(emitter));
        applicationTaskExecutor.submit(() -> send(emitter, events, milliseconds));
        return ResponseEntity.ok().cacheControl(CacheControl.noCache()).body(emitter);
    }

    /** Tomcat would wait for each of them. */
    @EventListener(ContextClosedEvent.class)
    void end() {
        open.forEach(SseEmitter::complete);
    }

    private static void send(SseEmitter emitter, int events, int milliseconds) {
        try {
            for (int number = 0; number < events; number++) {
                if (number > 0) {
                    Thread.sleep(milliseconds);
                }
                Greeting greeting = new Greeting(number, "Hello, World!");
                emitter.send(SseEmitter.event().id(Integer.toString(number)).data(greeting));
            }
            emitter.send(SseEmitter.event().data("[DONE]"));
            emitter.complete();
        } catch (IOException | IllegalStateException clientIsGoneOrStreamEnded) {
            // The container ends the request.
        } catch (InterruptedException stopping) {
            emitter.completeWithError(stopping);
        }
    }
}
