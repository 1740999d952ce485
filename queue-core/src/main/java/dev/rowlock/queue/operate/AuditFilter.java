package dev.rowlock.queue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which lines of the audit: {@code AuditFilter.ALL.who("ann").subject("queue mail")}. A line must satisfy each condition; null: no condition.
 *
 * @param who exactly this name
 * @param action exactly this, such as {@code change priority}
 * @param subject contains this text, A to Z in upper or lower case
 * @param from at this time or later
 * @param until before this time
 * @param withoutBulk whether lines of bulk actions are left out. Their subjects are filters, which may quote payloads: who may not see payloads must
 *     not find out by {@code subject} what stands there
 */
public record AuditFilter(
        @Nullable String who,
        @Nullable String action,
        @Nullable String subject,
        @Nullable Instant from,
        @Nullable Instant until,
        boolean withoutBulk) {

    /** All lines. */
    public static final AuditFilter ALL = new AuditFilter(null, null, null, null, null, false);

    /** @throws IllegalArgumentException if the times are the wrong way round */
    public AuditFilter {
        if (from != null && until != null && from.isAfter(until)) {
            throw new IllegalArgumentException(
                    "no line of the audit is from %s on and before %s: exchange the times".formatted(from, until));
        }
    }

    public AuditFilter who(String name) {
        return new AuditFilter(name, action, subject, from, until, withoutBulk);
    }

    public AuditFilter action(String name) {
        return new AuditFilter(who, name, subject, from, until, withoutBulk);
    }

    public AuditFilter subject(String part) {
        return new AuditFilter(who, action, part, from, until, withoutBulk);
    }

    public AuditFilter from(Instant time) {
        return new AuditFilter(who, action, subject, time, until, withoutBulk);
    }

    public AuditFilter until(Instant time) {
        return new AuditFilter(who, action, subject, from, time, withoutBulk);
    }

    /** Without lines of bulk actions. */
    public AuditFilter withoutBulkActions() {
        return new AuditFilter(who, action, subject, from, until, true);
    }
}
