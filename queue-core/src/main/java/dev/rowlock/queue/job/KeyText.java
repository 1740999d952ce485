package dev.rowlock.queue.job;

/** Texts that applications choose for keys. */
final class KeyText {

    private KeyText() {}

    /** PostgreSQL's text has no NUL, and UTF-8 no half of a surrogate pair: two such keys could become one. */
    static void requireStorable(String what, String value) {
        for (int i = 0; i < value.length(); i += Character.charCount(value.codePointAt(i))) {
            int point = value.codePointAt(i);
            if (point == 0 || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)) {
                throw new IllegalArgumentException(
                        "%s %s has U+%04X at %d: neither NUL nor unpaired surrogates are allowed"
                                .formatted(what, quoted(value), point, i));
            }
        }
    }

    /** Without what would break a line of a log. */
    static String quoted(String value) {
        return "'" + value.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?") + "'";
    }
}
