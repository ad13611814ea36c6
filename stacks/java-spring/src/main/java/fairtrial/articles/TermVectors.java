package fairtrial.articles;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The weighed terms of articles, tf × ln(N / df), as vectors of length 1, and the most similar of them. */
final class TermVectors {

    private static final Comparator<Candidate> MOST_SIMILAR_FIRST =
            Comparator.comparingDouble(Candidate::similarity).reversed().thenComparingLong(Candidate::id);

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
    }

    private record Candidate(double similarity, long id) {}

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

    /** The ids of the articles most similar to this one, most similar first, ties by lower id. */
    Optional<List<Long>> mostSimilar(long id, int limit) {
        Vector own = vectorsById.get(id);
        if (own == null) {
            return Optional.empty();
        }
        List<Candidate> others = new ArrayList<>(vectorsById.size());
        vectorsById.forEach((otherId, other) -> {
            if (otherId != id) {
                others.add(new Candidate(own.times(other), otherId));
            }
        });
        others.sort(MOST_SIMILAR_FIRST);
        return Optional.of(others.stream().limit(limit).map(Candidate::id).toList());
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
        Vector vector = new Vector(terms, weights);
        double length = Math.sqrt(vector.times(vector));
        for (int place = 0; place < terms.length && length > 0; place++) { // 0: its terms are in every article
            weights[place] /= length;
        }
        return vector;
    }
}
