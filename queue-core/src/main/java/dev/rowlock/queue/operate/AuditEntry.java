package dev.rowlock.queue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of the audit table: who did what, when and why.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface AuditEntry {

    /** Grows with time. */
    long id();

    /** By the database's clock; of a bulk action when it was asked for. */
    Instant at();

    /** {@code application} if no user was named. */
    String who();

    /** Null: not given. */
    @Nullable
    String why();

    /** Such as {@code change priority}. */
    String action();

    /** Such as {@code job 42}, {@code queue mail}, or the filter of a bulk action. */
    String subject();

    /** Such as {@code to 5}; null: there is nothing to say. */
    @Nullable
    String detail();

    /** How many jobs were changed; of a bulk action so far. */
    long jobs();

    /** How many jobs a bulk action has passed over, because the server refuses to change them. */
    long refused();

    /** Why the last of them was refused, as in {@link BulkAction#refusal}; null: none was. */
    @Nullable
    String refusal();

    /** As in {@link BulkAction#error}. */
    @Nullable
    KindOfError error();

    /** Null: it was no bulk action. */
    @Nullable
    Long bulkActionId();
}
