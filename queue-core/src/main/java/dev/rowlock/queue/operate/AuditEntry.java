package dev.rowlock.queue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of the audit table: who did what, when and why.
 *
 * @param id grows with time
 * @param at by the database's clock; of a bulk action when it was asked for
 * @param who {@code application} if no user was named
 * @param why null: not given
 * @param action such as {@code change priority}
 * @param subject such as {@code job 42}, {@code queue mail}, or the filter of a bulk action
 * @param detail such as {@code to 5}; null: there is nothing to say
 * @param jobs how many jobs were changed; of a bulk action so far
 * @param refused how many jobs a bulk action has passed over, because the server refuses to change them
 * @param refusal why the last of them was refused, as in {@link BulkAction#refusal}; null: none was
 * @param error as in {@link BulkAction#error}
 * @param bulkActionId null: it was no bulk action
 */
public record AuditEntry(
        long id,
        Instant at,
        String who,
        @Nullable String why,
        String action,
        String subject,
        @Nullable String detail,
        long jobs,
        long refused,
        @Nullable String refusal,
        @Nullable KindOfError error,
        @Nullable Long bulkActionId) {}
