package dev.rowlock.queue.dashboard.access;

/**
 * A user of the dashboard.
 *
 * @param name stands in the audit: 1 to 1,000 characters, not blank
 * @param level what he or she may do
 */
public record DashboardUser(String name, AccessLevel level) {

    /** For requests that may do nothing. */
    public static final DashboardUser NOBODY = new DashboardUser("nobody", AccessLevel.NONE);

    private static final int MAX_NAME = 1_000;

    /** @throws IllegalArgumentException if the name is blank or too long for the audit, or the level is null */
    public DashboardUser {
        if (level == null) {
            throw new IllegalArgumentException("the user has no level: AccessLevel.NONE is for one who may do nothing");
        }
        if (name.isBlank() || name.length() > MAX_NAME || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "the user's name has %d characters: 1 to %d are allowed, not all of them blank, none U+0000"
                            .formatted(name.length(), MAX_NAME));
        }
    }
}
