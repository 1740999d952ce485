package dev.rowlock.queue.search;

/**
 * Which part of the jobs that match is wanted. They come in the order of their ids, those that were enqueued last first. An id never
 * changes, so no job is missed and none comes twice, to whatever room it moves between two pages.
 *
 * @param size how many jobs at most, 1 to {@value #MAX_SIZE}; with payloads, 1 to {@value #MAX_SIZE_WITH_PAYLOADS}
 * @param before only jobs with smaller ids
 * @param payloads whether payloads are wanted
 */
public record Page(int size, long before, boolean payloads) {

    /** The longest page. */
    public static final int MAX_SIZE = 1_000;

    /** The longest page with payloads: they lie in memory together. */
    public static final int MAX_SIZE_WITH_PAYLOADS = 100;

    public Page {
        int max = payloads ? MAX_SIZE_WITH_PAYLOADS : MAX_SIZE;
        if (size < 1 || size > max) {
            throw new IllegalArgumentException("a page of %d jobs is not allowed: it has 1 to %d%s"
                    .formatted(size, max, payloads ? " with payloads" : ""));
        }
    }

    /** The first page, without payloads. */
    public static Page first(int size) {
        return new Page(size, Long.MAX_VALUE, false);
    }

    /** The page that begins behind the job with this id, whether that still exists or not. */
    public Page before(long id) {
        return new Page(size, id, payloads);
    }

    /** The same page, with the payloads of its jobs. */
    public Page withPayloads() {
        return new Page(size, before, true);
    }
}
