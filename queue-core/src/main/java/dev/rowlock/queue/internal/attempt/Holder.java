package dev.rowlock.queue.internal.attempt;

/** Holds executions from the claim of their jobs until their outcome is recorded or refused. Thread-safe. */
@FunctionalInterface
public interface Holder {

    /** Holds this execution no longer. Returns whether it did until now. */
    boolean released(Execution execution);
}
