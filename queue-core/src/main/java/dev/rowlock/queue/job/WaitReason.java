package dev.rowlock.queue.job;

import java.util.Locale;

/** Why a job waits. */
public enum WaitReason {
    /** It was enqueued with a delay, or for an instant. */
    SCHEDULED,
    /** Its last attempt failed, and the next one is due later. */
    RETRY,
    /** Its handler asked to be called again later. */
    SNOOZE,
    /** No listener of the node that claimed it knows its type. */
    UNKNOWN_TYPE,
    /** Its handler could not begin: its payload could not be read, say, or its transaction could not begin. */
    NOT_STARTED,
    /** Its node died while it ran, and it waits for others that may be to blame. */
    CRASH,
    /** It was dead, and somebody gave it another life. */
    REDRIVE,
    /** Another job holds its unique key and has started: it runs once more after that one's end. */
    ONCE_MORE,
    /** It is a step of a workflow and runs after other steps. */
    PARENTS,
    /** The policy of its queue has not chosen it yet. */
    POLICY,
    /** A reason that only a newer version of Rowlock knows. */
    OTHER;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The name in the database: lower case, with hyphens. */
    public String label() {
        return label;
    }

    /** The reason with this {@link #label()}; {@link #OTHER} if there is none. */
    public static WaitReason of(String label) {
        for (WaitReason reason : values()) {
            if (reason.label.equals(label)) {
                return reason;
            }
        }
        return OTHER;
    }
}
