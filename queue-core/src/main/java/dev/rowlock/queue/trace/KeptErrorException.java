package dev.rowlock.queue.trace;

import dev.rowlock.queue.job.JobError;

/** Stands for an exception that must not be shown as it was thrown: the error as the job's history keeps it. It is never thrown. */
final class KeptErrorException extends Exception {

    private static final long serialVersionUID = 1L;

    KeptErrorException(JobError kept) {
        super(kept.type() + ": " + kept.message(), null, false, false);
    }
}
