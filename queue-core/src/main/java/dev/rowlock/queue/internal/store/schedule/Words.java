package dev.rowlock.queue.internal.store.schedule;

import java.util.Locale;

/** Constants as the table writes them. */
final class Words {

    private Words() {}

    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }
}
