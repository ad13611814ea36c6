package fairtrial.queries;

import fairtrial.NeedsDatabase;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The workloads query-mix and query-chain. What is no number is answered 400 by Spring itself. */
@RestController
@NeedsDatabase
class QueryController {

    private static final int LONGEST_SLEEP_MILLISECONDS = 10_000;
    private static final int MOST_SHORT_QUERIES = 1_000;

    private final QueryRepository queries;

    record Value(int value) {}

    record Slept(int slept) {}

    record Chain(int slept, int sum) {}

    QueryController(QueryRepository queries) {
        this.queries = queries;
    }

    @GetMapping("/queries/short")
    Value shortQuery() {
        return new Value(queries.one());
    }

    @GetMapping("/queries/long/{milliseconds}")
    Slept longQuery(@PathVariable int milliseconds) {
        sleep(milliseconds);
        return new Slept(milliseconds);
    }

    /** A long query, and then short ones, each after the answer of the one before. */
    @GetMapping("/queries/chain/{milliseconds}/{shortQueries}")
    Chain chain(@PathVariable int milliseconds, @PathVariable int shortQueries) {
        if (shortQueries < 0 || shortQueries > MOST_SHORT_QUERIES) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
        sleep(milliseconds);
        int sum = 0;
        for (int asked = 0; asked < shortQueries; asked++) {
            sum += queries.one();
        }
        return new Chain(milliseconds, sum);
    }

    private void sleep(int milliseconds) {
        if (milliseconds < 1 || milliseconds > LONGEST_SLEEP_MILLISECONDS) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
        queries.sleep(milliseconds / 1e3);
    }
}
