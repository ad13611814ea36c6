package fairtrial.articles;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The stemmed terms of texts. */
final class Terms {

    private static final Pattern NO_LETTERS = Pattern.compile("[^a-z]+");
    private static final Set<String> STOP_WORDS = Set.of(
            "a an and are as at be by for from in is it of on or that the to was with".split(" "));

    private Terms() {}

    /** The terms of a text, in their order. */
    static List<String> of(String text) {
        List<String> terms = new ArrayList<>();
        for (String word : NO_LETTERS.split(text.toLowerCase(Locale.ROOT))) {
            if (!word.isEmpty() && !STOP_WORDS.contains(word)) {
                terms.add(stem(word));
            }
        }
        return terms;
    }

    /** Harman's S stemmer: D. Harman, How effective is suffixing?, JASIS 42(1), 1991, table 1. */
    private static String stem(String word) {
        int length = word.length();
        if (length > 4 && word.endsWith("ies") && !endsInOneOf(word, "eies", "aies")) {
            return word.substring(0, length - 3) + "y";
        }
        if (length > 3 && word.endsWith("es") && !endsInOneOf(word, "aes", "ees", "oes")) {
            return word.substring(0, length - 1);
        }
        if (length > 2 && word.endsWith("s") && !endsInOneOf(word, "us", "ss")) {
            return word.substring(0, length - 1);
        }
        return word;
    }

    private static boolean endsInOneOf(String word, String... endings) {
        for (String ending : endings) {
            if (word.endsWith(ending)) {
                return true;
            }
        }
        return false;
    }
}
