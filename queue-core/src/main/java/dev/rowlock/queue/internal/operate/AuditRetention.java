package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.internal.store.operate.RemoveOldAudit;
import java.time.Duration;

/** Removes audit lines and ended bulk actions when they are old, one node for all. */
final class AuditRetention implements Chore {

    /** So long they are kept. */
    static final Duration KEPT = Duration.ofDays(90);

    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final int BATCH = 1_000;

    private final TakeChore chore;
    private final RemoveOldAudit remove;
    private boolean more;

    AuditRetention(TakeChore chore, RemoveOldAudit remove) {
        this.chore = chore;
        this.remove = remove;
    }

    @Override
    public String name() {
        return "audit retention";
    }

    @Override
    public Duration runOnce() {
        if (!more && !chore.run(name(), INTERVAL)) {
            return INTERVAL;
        }
        more = false; // should the next line fail
        more = remove.run(KEPT, BATCH) == BATCH;
        return more ? Duration.ZERO : INTERVAL;
    }
}
