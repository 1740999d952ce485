package dev.rowlock.queue.search;

/**
 * Which part of the groups of dead jobs is wanted. They come by the number of their jobs, the largest first. Groups that grow or shrink
 * between two pages may come twice or not at all.
 *
 * @param size how many groups at most, 1 to {@value #MAX_SIZE}
 * @param jobs only groups with fewer jobs, or with as many and a smaller fingerprint
 * @param fingerprint that of the last group of the page before; empty for the first page
 */
public record GroupPage(int size, long jobs, String fingerprint) {

    /** The longest page. */
    public static final int MAX_SIZE = 1_000;

    public GroupPage {
        if (size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException(
                    "a page of %d groups is not allowed: it has 1 to %d".formatted(size, MAX_SIZE));
        }
        if (!fingerprint.isEmpty()) {
            Rules.fingerprint(fingerprint);
        }
    }

    /** The largest groups. */
    public static GroupPage first(int size) {
        return new GroupPage(size, Long.MAX_VALUE, "");
    }

    /** The page that begins behind this group. */
    public GroupPage behind(DeadGroup group) {
        return new GroupPage(size, group.jobs(), group.fingerprint());
    }
}
