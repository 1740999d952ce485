package dev.rowlock.queue.operate;

import org.jspecify.annotations.Nullable;

/**
 * Who does something, and why, for the audit table.
 *
 * @param who 1 to 1,000 characters, such as the name of a person who is logged in, which may be that of a certificate
 * @param why up to 1,000 characters; null: not given
 */
public record Actor(String who, @Nullable String why) {

    /** For whoever does not name anybody. */
    public static final Actor APPLICATION = new Actor("application", null);

    private static final int MAX = 1_000;

    /** @throws IllegalArgumentException if a text is blank, too long, or has characters that cannot be stored */
    public Actor {
        text("who does it", who);
        if (why != null) {
            text("the reason", why);
        }
    }

    private static void text(String what, @Nullable String text) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("%s is not said: name it".formatted(what));
        }
        if (text.length() > MAX || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "%s is a text of %d characters: up to %d are allowed, none of them U+0000"
                            .formatted(what, text.length(), MAX));
        }
    }
}
