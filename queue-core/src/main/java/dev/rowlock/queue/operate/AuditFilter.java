package dev.rowlock.queue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which lines of the audit: {@code AuditFilter.ALL.who("ann").subject("queue mail")}. A line must satisfy each condition; null: no condition.
 *
 * @param who exactly this name
 * @param action exactly this, such as {@code change priority}
 * @param subject contains this text, in capitals or not
 * @param from at this time or later
 * @param until before this time
 */
public record AuditFilter(
        @Nullable String who,
        @Nullable String action,
        @Nullable String subject,
        @Nullable Instant from,
        @Nullable Instant until) {

    /** All lines. */
    public static final AuditFilter ALL = new AuditFilter(null, null, null, null, null);

    /** @throws IllegalArgumentException if the times are the wrong way round */
    public AuditFilter {
        if (from != null && until != null && from.isAfter(until)) {
            throw new IllegalArgumentException(
                    "no line of the audit is from %s on and before %s: exchange the times".formatted(from, until));
        }
    }

    public AuditFilter who(String name) {
        return new AuditFilter(name, action, subject, from, until);
    }

    public AuditFilter action(String name) {
        return new AuditFilter(who, name, subject, from, until);
    }

    public AuditFilter subject(String part) {
        return new AuditFilter(who, action, part, from, until);
    }

    public AuditFilter from(Instant time) {
        return new AuditFilter(who, action, subject, time, until);
    }

    public AuditFilter until(Instant time) {
        return new AuditFilter(who, action, subject, from, time);
    }
}
