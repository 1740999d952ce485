package dev.rowlock.queue.autoconfigure.property;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Which of the names that there are was probably meant. */
final class Nearest {

    /** One wrong letter in so many. */
    private static final int LETTERS = 3;

    private Nearest() {}

    /** Empty: none is like it. One that ends with it comes first: a part in front was forgotten. */
    static Optional<String> to(String name, Collection<String> candidates) {
        String plain = plain(name);
        Optional<String> ending = candidates.stream()
                .filter(candidate -> plain(candidate.substring(candidate.lastIndexOf('.') + 1))
                        .equals(plain))
                .findFirst();
        return ending.isPresent()
                ? ending
                : candidates.stream()
                        .filter(candidate -> distance(plain, plain(candidate)) <= Math.max(1, plain.length() / LETTERS))
                        .min(Comparator.comparingInt(candidate -> distance(plain, plain(candidate))));
    }

    /** As names are compared: dashes, dots and upper case make no difference. */
    static String plain(String name) {
        return name.replaceAll("[-_.]", "").toLowerCase(Locale.ROOT);
    }

    /** How many letters must be put in, taken out or replaced (Levenshtein). */
    static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
