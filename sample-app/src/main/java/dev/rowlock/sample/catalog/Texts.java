package dev.rowlock.sample.catalog;

/** Text from strangers. */
final class Texts {

    private static final int MAX_EXCERPT = 60;

    private Texts() {}

    /** Fit for a message: short, on one line, and without characters that PostgreSQL does not store. */
    static String excerpt(String text) {
        StringBuilder excerpt = new StringBuilder();
        text.codePoints()
                .limit(MAX_EXCERPT)
                .map(point -> Character.isISOControl(point) ? ' ' : point)
                .forEach(excerpt::appendCodePoint);
        return text.codePointCount(0, text.length()) > MAX_EXCERPT ? excerpt + "…" : excerpt.toString();
    }

    /** Line breaks and tabs are fine: quoted fields may have them. */
    static boolean hasControlCharacters(String text) {
        return text.chars().anyMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\r' && c != '\t');
    }
}
