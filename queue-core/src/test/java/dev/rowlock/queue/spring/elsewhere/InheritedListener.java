package dev.rowlock.queue.spring.elsewhere;

import dev.rowlock.queue.JobListener;

/** Has listeners that classes of other packages inherit, but only one that these can override. */
public final class InheritedListener {

    private InheritedListener() {}

    /** What the package-private listener takes. */
    public record Hidden(int number) {}

    /** What the protected listener takes. */
    public record Reachable(int number) {}

    /** A base for subclasses elsewhere. */
    public abstract static class PackagePrivate {

        private final StringBuilder done = new StringBuilder("done ");

        @JobListener
        String handle(Hidden job) {
            return done.append(job.number()).toString();
        }
    }

    /** A base for subclasses elsewhere. */
    public abstract static class Protected {

        private final StringBuilder done = new StringBuilder("done ");

        @JobListener
        protected String handle(Reachable job) {
            return done.append(job.number()).toString();
        }
    }
}
