package fairtrial.articles;

import fairtrial.NeedsDatabase;
import fairtrial.NotFoundException;
import java.util.List;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The workload similar-items. */
@RestController
@NeedsDatabase
class ArticleController {

    private static final int MOST_SIMILAR = 10;

    /** Kept from the first request on; similarities are computed in each. */
    private final SingletonSupplier<TermVectors> vectors;

    record Answer(long id, List<Long> similar) {}

    ArticleController(ArticleRepository articles) {
        vectors = SingletonSupplier.of(() -> new TermVectors(articles.all()));
    }

    @GetMapping("/articles/{id:[0-9]{1,18}}/similar")
    Answer similar(@PathVariable long id) {
        return new Answer(id, vectors.obtain().mostSimilar(id, MOST_SIMILAR).orElseThrow(NotFoundException::new));
    }
}
