package dev.rowlock.queue.spi;

import org.jspecify.annotations.Nullable;

/** A {@link dev.rowlock.queue.JobListener} that cannot work as it is written. The application does not start. */
public final class InvalidJobListenerException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    public InvalidJobListenerException(String problem, String remedy) {
        this(problem, remedy, null);
    }

    public InvalidJobListenerException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + ". " + remedy, cause);
        this.problem = problem;
        this.remedy = remedy;
    }

    /** Which method of which bean it is, and what is wrong. */
    public String problem() {
        return problem;
    }

    /** What to do about it. */
    public String remedy() {
        return remedy;
    }
}
