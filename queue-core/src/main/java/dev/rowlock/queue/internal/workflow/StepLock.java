package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Schema;

/**
 * The lock for which those queue up who add to an open step, and whoever closes it or cancels its workflow: an advisory one of the transaction. A lock of the step's row is not
 * enough. Whoever shares it passes by one who wants it alone, so while some go on adding, that one waits for ever. They take this one first.
 *
 * <p>A workflow has sixteen of them, which its steps share: the server's table of locks is small, and whoever cancels a workflow with thousands of open steps locks all.
 */
final class StepLock {

    private static final String NAME = "hashtextextended(? || ?::text || ' ' || (hashtext(?) & 15), 0)";

    /** With three parameters: {@link #prefix}, the workflow, and the step's name. */
    static final String SHARED = "pg_advisory_xact_lock_shared(" + NAME + ")";

    /** With the same parameters. */
    static final String ALONE = "pg_advisory_xact_lock(" + NAME + ")";

    private StepLock() {}

    /** Of a row with {@code workflow_id} and {@code name}, what is to be locked. The parameter is {@link #prefix}. */
    static String ofRow(String parameter) {
        return "hashtextextended(%s || workflow_id::text || ' ' || (hashtext(name) & 15), 0)".formatted(parameter);
    }

    /** Advisory locks are the database's, so the schema tells ours from those of another Rowlock. */
    static String prefix(Schema schema) {
        return "rowlock step " + schema.name() + ' ';
    }
}
