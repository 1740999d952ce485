package dev.rowlock.queue.operate;

import org.jspecify.annotations.Nullable;

/**
 * Who does something, and why, for the audit table.
 *
 * @param who 1 to 100 characters, such as the name of a person who is logged in
 * @param why up to 1,000 characters; null: nobody says
 */
public record Actor(String who, @Nullable String why) {

    /** For whoever does not name anybody. */
    public static final Actor APPLICATION = new Actor("application", null);

    private static final int MAX_WHO = 100;
    private static final int MAX_WHY = 1_000;

    /** @throws IllegalArgumentException if a text is blank, too long, or has characters that cannot be stored */
    public Actor {
        text("who does it", who, MAX_WHO);
        if (why != null) {
            text("the reason", why, MAX_WHY);
        }
    }

    private static void text(String what, @Nullable String text, int longest) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("%s is not said: name it".formatted(what));
        }
        if (text.length() > longest || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "%s is a text of %d characters: up to %d are allowed, none of them U+0000"
                            .formatted(what, text.length(), longest));
        }
    }
}
