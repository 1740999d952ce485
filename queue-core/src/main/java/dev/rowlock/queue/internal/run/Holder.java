package dev.rowlock.queue.internal.run;

/** The held executions of a node: each from the claim of its job until its outcome is recorded or refused. Thread-safe. */
@FunctionalInterface
public interface Holder {

    /** Holds this execution no longer. Returns whether it did until now. */
    boolean released(Execution execution);
}
