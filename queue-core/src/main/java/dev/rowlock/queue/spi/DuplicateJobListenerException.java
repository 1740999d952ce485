package dev.rowlock.queue.spi;

/** Two listeners take the same type, so it is undefined which of them runs its jobs. */
public final class DuplicateJobListenerException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;

    /** @param type the type that both take, under its name or a former one */
    public DuplicateJobListenerException(String type, ListenerDefinition first, ListenerDefinition second) {
        this("two listeners take jobs of type '%s': %s and %s".formatted(type, first.name(), second.name()));
    }

    private DuplicateJobListenerException(String problem) {
        super(problem + ". " + REMEDY);
        this.problem = problem;
    }

    private static final String REMEDY =
            "Remove one of them. If their payloads are different classes that share a simple name, give one another"
                    + " name with @JobType";

    /** Which listeners they are. */
    public String problem() {
        return problem;
    }

    /** What to do about it. */
    public String remedy() {
        return REMEDY;
    }
}
