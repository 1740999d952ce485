package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.JobContext;

/**
 * A listener as a lambda: {@code (mail, job) -> mailer.send(mail)}. Called by several threads at once.
 *
 * @param <P> the payload's class
 */
@FunctionalInterface
public interface PayloadHandler<P> {

    /** Runs the job. Returning completes it, throwing fails it. */
    void handle(P payload, JobContext job) throws Exception;
}
