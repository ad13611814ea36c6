package fairtrial.articles;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;

import com.fasterxml.jackson.annotation.JsonProperty;
import fairtrial.NeedsDatabase;
import fairtrial.NotFoundException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The workloads similar-items and matching-mix. What is read is kept from the first request on. */
@RestController
@NeedsDatabase
class ArticleController {

    private static final int MOST_SIMILAR = 10;
    private static final double MILLION = 1e6;

    /** Matches are computed in each request. */
    private final SingletonSupplier<Known> known;
    /** The ids of the articles that each user has rated, by the user's number. */
    private final SingletonSupplier<Map<Long, List<Long>>> rated;

    private record Known(Map<Long, String> names, TermVectors vectors) {

        static Known of(List<Article> articles) {
            return new Known(articles.stream().collect(toMap(Article::id, Article::name)), new TermVectors(articles));
        }
    }

    record Name(long id, String name) {}

    record Similar(long id, List<Long> similar) {}

    record Matched(long id, @JsonProperty("similarity_millionths") long similarityMillionths) {}

    record BestOfUser(long id, List<Matched> articles) {}

    ArticleController(ArticleRepository articles) {
        known = SingletonSupplier.of(() -> Known.of(articles.all()));
        rated = SingletonSupplier.of(() -> articles.ratings().stream()
                .collect(groupingBy(Rating::userNumber, mapping(Rating::articleId, toList()))));
    }

    @GetMapping("/articles/{id:[0-9]{1,18}}")
    Name article(@PathVariable long id) {
        return new Name(id, existing(known.obtain().names().get(id)));
    }

    @GetMapping("/articles/{id:[0-9]{1,18}}/similar")
    Similar similar(@PathVariable long id) {
        List<TermVectors.Match> found =
                known.obtain().vectors().mostSimilar(id, MOST_SIMILAR).orElseThrow(NotFoundException::new);
        return new Similar(id, found.stream().map(TermVectors.Match::id).toList());
    }

    @GetMapping("/users/{user:[0-9]{1,18}}/articles")
    BestOfUser bestOfUser(@PathVariable long user) {
        List<Long> articles = existing(rated.obtain().get(user));
        List<TermVectors.Match> found = known.obtain().vectors().bestFor(articles, MOST_SIMILAR);
        return new BestOfUser(
                user,
                found.stream()
                        .map(match -> new Matched(match.id(), Math.round(match.similarity() * MILLION)))
                        .toList());
    }

    private static <T> T existing(T found) {
        return Optional.ofNullable(found).orElseThrow(NotFoundException::new);
    }
}
