package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.Enqueued;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A call that enqueues jobs, as {@link EnqueueInterceptor}s see it. Of the caller's thread only, until the call returns. */
public interface EnqueueCall {

    /** Whether it may bring many jobs: {@code enqueueAll} and {@code enqueueEach}, however many they bring. */
    boolean bulk();

    /**
     * The queue of its jobs. Of a bulk call, of those that it has brought so far: empty before the first one, and where they go to
     * several.
     */
    Optional<String> queue();

    /** The type of its jobs, as {@link #queue}. */
    Optional<String> type();

    /** How many jobs were asked for so far, of each queue and type. */
    List<Part> parts();

    /** So many jobs of a queue and type. */
    record Part(String queue, String type, long jobs) {}

    /** How many jobs were asked for so far; 1 for a call that is not bulk. */
    long jobs();

    /** What its one request carries as headers, without those that were added; empty for a bulk call. */
    Map<String, String> requested();

    /**
     * Adds headers to each job of the call; to be called before the call goes on. They belong together: a job takes either all of
     * them or none. It takes none if its request brings one of these keys, whose value then stays as it is, or if it has no
     * room for them: {@link dev.rowlock.queue.job.JobOptions} has the limits. That is logged once.
     *
     * @throws IllegalArgumentException for keys of Rowlock's own, and for an empty key
     */
    void headers(Map<String, String> together);

    /** The id of its one job, or of the job that holds its unique key, once it is written; empty for a bulk call. */
    OptionalLong id();

    /**
     * What became of its request, once that is known; of {@code enqueueEach}, if the same became of all; of {@code enqueueAll}, only
     * that all were enqueued.
     */
    Optional<Enqueued> answer();
}
