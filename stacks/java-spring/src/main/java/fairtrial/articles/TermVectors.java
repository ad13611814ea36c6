package fairtrial.articles;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The weighed terms of articles, tf × ln(N / df), as vectors of length 1, and the most similar of them. */
final class TermVectors {

    private static final Comparator<Match> MOST_SIMILAR_FIRST =
            Comparator.comparingDouble(Match::similarity).reversed().thenComparingLong(Match::id);

    private final Map<Long, Vector> vectorsById = new HashMap<>();

    /** Weights of terms, by ascending numbers of the terms. */
    private record Vector(int[] terms, double[] weights) {

        /** The sum of the products of the weights of common terms. */
        double times(Vector other) {
            double sum = 0;
            for (int i = 0, j = 0; i < terms.length && j < other.terms.length; ) {
                if (terms[i] < other.terms[j]) {
                    i++;
                } else if (terms[i] > other.terms[j]) {
                    j++;
                } else {
                    sum += weights[i++] * other.weights[j++];
                }
            }
            return sum;
        }

        /** Changes the vector to length 1, unless it has none because all its terms are in every article. */
        Vector scaled() {
            double length = Math.sqrt(times(this));
            for (int place = 0; place < weights.length && length > 0; place++) {
                weights[place] /= length;
            }
            return this;
        }
    }

    /** An article and its similarity. */
    record Match(double similarity, long id) {}

    TermVectors(List<Article> articles) {
        Map<String, Integer> numbers = new HashMap<>();
        Map<Integer, Integer> documents = new HashMap<>();
        Map<Long, TreeMap<Integer, Integer>> frequenciesById = new HashMap<>();
        for (Article article : articles) {
            TreeMap<Integer, Integer> frequencies = new TreeMap<>();
            count(article.name(), 10, numbers, frequencies);
            count(article.description(), 3, numbers, frequencies);
            count(article.type(), 1, numbers, frequencies);
            count(article.tags(), 1, numbers, frequencies);
            frequencies.keySet().forEach(term -> documents.merge(term, 1, Integer::sum));
            frequenciesById.put(article.id(), frequencies);
        }
        frequenciesById.forEach(
                (id, frequencies) -> vectorsById.put(id, weigh(frequencies, documents, articles.size())));
    }

    /** The articles most similar to this one, most similar first, ties by lower id. */
    Optional<List<Match>> mostSimilar(long id, int limit) {
        return Optional.ofNullable(vectorsById.get(id)).map(own -> matches(own, Set.of(id), limit));
    }

    /** The articles most similar to the sum of those that a user rated, without them, in the same order. */
    List<Match> bestFor(Collection<Long> rated, int limit) {
        return matches(sum(rated), Set.copyOf(rated), limit);
    }

    private List<Match> matches(Vector own, Set<Long> leftOut, int limit) {
        List<Match> others = new ArrayList<>(vectorsById.size());
        vectorsById.forEach((id, other) -> {
            if (!leftOut.contains(id)) {
                others.add(new Match(own.times(other), id));
            }
        });
        others.sort(MOST_SIMILAR_FIRST);
        return others.subList(0, Math.min(limit, others.size()));
    }

    private Vector sum(Collection<Long> ids) {
        TreeMap<Integer, Double> weights = new TreeMap<>();
        for (long id : ids) {
            Vector vector = vectorsById.get(id);
            for (int place = 0; place < vector.terms.length; place++) {
                weights.merge(vector.terms[place], vector.weights[place], Double::sum);
            }
        }
        return new Vector(
                        weights.keySet().stream().mapToInt(Integer::intValue).toArray(),
                        weights.values().stream().mapToDouble(Double::doubleValue).toArray())
                .scaled();
    }

    private static void count(
            String text, int weight, Map<String, Integer> numbers, Map<Integer, Integer> frequencies) {
        for (String term : Terms.of(text)) {
            int number = numbers.computeIfAbsent(term, unknown -> numbers.size());
            frequencies.merge(number, weight, Integer::sum);
        }
    }

    private static Vector weigh(TreeMap<Integer, Integer> frequencies, Map<Integer, Integer> documents, int articles) {
        int[] terms = frequencies.keySet().stream().mapToInt(Integer::intValue).toArray();
        double[] weights = new double[terms.length];
        for (int place = 0; place < terms.length; place++) {
            weights[place] = frequencies.get(terms[place]) * Math.log((double) articles / documents.get(terms[place]));
        }
        return new Vector(terms, weights).scaled();
    }
}
