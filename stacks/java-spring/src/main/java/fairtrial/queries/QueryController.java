package fairtrial.queries;

import fairtrial.NeedsDatabase;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The workload query-mix. */
@RestController
@NeedsDatabase
class QueryController {

    private static final int LONGEST_SLEEP_MILLISECONDS = 10_000;

    private final QueryRepository queries;

    record Value(int value) {}

    record Slept(int slept) {}

    QueryController(QueryRepository queries) {
        this.queries = queries;
    }

    @GetMapping("/queries/short")
    Value shortQuery() {
        return new Value(queries.one());
    }

    /** What is no number is answered 400 by Spring itself. */
    @GetMapping("/queries/long/{milliseconds}")
    Slept longQuery(@PathVariable int milliseconds) {
        if (milliseconds < 1 || milliseconds > LONGEST_SLEEP_MILLISECONDS) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
        queries.sleep(milliseconds / 1e3);
        return new Slept(milliseconds);
    }
}
