package dev.rowlock.queue.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How one attempt ended. A value: nothing has happened until it is recorded, under the claim's token.
 */
public sealed interface Outcome {

    /** A short name for meters: {@code completed}, {@code retried}, {@code failed} … */
    String label();

    /** What the handler threw, if it is why the attempt ended like this; null otherwise. As it was thrown: nothing is redacted. */
    default @Nullable Throwable thrown() {
        return null;
    }

    /** Calls the case of this outcome. Whoever must think of all of them is asked for each by the compiler. */
    <R> R match(Cases<R> cases);

    /** One answer for each way in which a claim ends. */
    interface Cases<R> {

        R ended(Ended outcome);

        R failed(Failed outcome);

        R deferred(Deferred outcome);

        R released(Released outcome);

        R alreadyCompleted(AlreadyCompleted outcome);
    }

    /** The job has ended, and not failed: it moves to {@code done}. */
    sealed interface Ended extends Outcome {

        @Override
        default <R> R match(Cases<R> cases) {
            return cases.ended(this);
        }
    }

    /** The job waits until it is due, and then may run again. */
    sealed interface Deferred extends Outcome {

        Due due();

        /**
         * Why it waits, as the view {@code job} shows it.
         *
         * @param crashes of nodes that ran the job
         */
        String reason(int crashes);

        /** What went wrong in an attempt that counts; null if it does not count. */
        default @Nullable JobError error() {
            return null;
        }

        /** As old as the job is, it waits at least, up to this; null: it waits as long as {@link #due} says. */
        default @Nullable Duration longest() {
            return null;
        }

        @Override
        default <R> R match(Cases<R> cases) {
            return cases.deferred(this);
        }
    }

    /**
     * The handler returned.
     *
     * @param resultJson what it returned, as JSON; null for nothing
     */
    record Completed(@Nullable String resultJson) implements Ended {
        @Override
        public String label() {
            return "completed";
        }
    }

    /** The handler failed and the job is tried again when {@code due}. */
    record Retry(Due due, JobError error, @Nullable Throwable thrown) implements Deferred {
        @Override
        public String label() {
            return "retried";
        }

        @Override
        public String reason(int crashes) {
            return "retry";
        }
    }

    /** The last attempt failed: the job moves to {@code dead}. */
    record Failed(JobError error, @Nullable Throwable thrown) implements Outcome {

        /** Not because of an exception. */
        public Failed(JobError error) {
            this(error, null);
        }

        @Override
        public String label() {
            return "failed";
        }

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.failed(this);
        }
    }

    /**
     * The handler asks to be called again when {@code due}; this attempt does not count.
     *
     * @param why as it said; null if it did not
     */
    record Snoozed(Due due, @Nullable String why) implements Deferred {
        @Override
        public String label() {
            return "snoozed";
        }

        @Override
        public String reason(int crashes) {
            return "snooze";
        }
    }

    /** The job was cancelled while it ran, and its handler stopped. */
    record Cancelled() implements Ended {
        @Override
        public String label() {
            return "cancelled";
        }
    }

    /** The job was not run, or was stopped by a shutdown: back to {@code ready}; this attempt does not count. */
    record Released() implements Outcome {
        @Override
        public String label() {
            return "released";
        }

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.released(this);
        }
    }

    /**
     * The job was not run: it has been through a crash, and others like it stand in line on this node; or it was taken from
     * a handler that still runs there; or its payload could not be read, or its transaction could not begin. Another node may
     * have it after {@code due}; this attempt does not count.
     */
    record SetAside(Due due) implements Deferred {
        @Override
        public String label() {
            return "set-aside";
        }

        @Override
        public String reason(int crashes) {
            return crashes > 0 ? "crash" : "not-started";
        }
    }

    /**
     * No listener of this node knows the job's type: aside for a while, so that a node that knows it can take it; this
     * attempt does not count. The wait grows with the job's age, from {@code shortest} to {@code longest}.
     */
    record UnknownType(Duration shortest, Duration longest) implements Deferred {
        @Override
        public String label() {
            return "unknown-type";
        }

        @Override
        public Due due() {
            return Due.after(shortest);
        }

        @Override
        public String reason(int crashes) {
            return "unknown-type";
        }
    }

    /**
     * The job was completed inside the handler's own transaction, which has committed: nothing is left to record.
     */
    record AlreadyCompleted() implements Outcome {
        @Override
        public String label() {
            return "completed";
        }

        @Override
        public <R> R match(Cases<R> cases) {
            return cases.alreadyCompleted(this);
        }
    }
}
