package dev.rowlock.queue.internal.store.workflow;

import dev.rowlock.queue.internal.store.Schema;

/**
 * The lock for which those queue up who add to an open step, and whoever closes it or cancels its workflow: an advisory one of the transaction. A lock of the step's row is not
 * enough. Whoever shares it passes by one who wants it alone, so while some go on adding, that one waits for ever. They take this one first.
 */
final class StepLock {

    private static final String NAME = "hashtextextended(? || ?::text || ' ' || ?, 0)";

    /** With three parameters: {@link #prefix}, the workflow, and the step's name. */
    static final String SHARED = "pg_advisory_xact_lock_shared(" + NAME + ")";

    /** With the same parameters. */
    static final String ALONE = "pg_advisory_xact_lock(" + NAME + ")";

    private static final String NAME_OF_ROW = "hashtextextended(? || workflow_id::text || ' ' || name, 0)";

    /** Of a row with {@code workflow_id} and {@code name}; with one parameter: {@link #prefix}. */
    static final String ALONE_OF_ROW = "pg_advisory_xact_lock(" + NAME_OF_ROW + ")";

    /** Likewise; whether nobody else has it. */
    static final String TRY_ALONE_OF_ROW = "pg_try_advisory_xact_lock(" + NAME_OF_ROW + ")";

    private StepLock() {}

    /** Advisory locks are the database's, so the schema tells ours from those of another Rowlock. */
    static String prefix(Schema schema) {
        return "rowlock step " + schema.name() + ' ';
    }
}
