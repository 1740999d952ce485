package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import java.util.Locale;

/** Words of explanations. */
final class Sentence {

    private Sentence() {}

    static Reason reason(Kind kind, String text, Object... values) {
        return new Reason(kind, String.format(Locale.ROOT, text, values));
    }

    /** A short time with a tenth, a longer one without. */
    static String seconds(double seconds) {
        return String.format(Locale.ROOT, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    }
}
