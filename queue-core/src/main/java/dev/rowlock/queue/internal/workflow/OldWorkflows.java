package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.internal.store.workflow.RemoveOldWorkflows;
import java.time.Duration;

/** Removes workflows as old as their jobs may become, one node for all. */
final class OldWorkflows implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(10);

    private final TakeChore chore;
    private final RemoveOldWorkflows remove;
    private boolean more;

    OldWorkflows(TakeChore chore, RemoveOldWorkflows remove) {
        this.chore = chore;
        this.remove = remove;
    }

    @Override
    public String name() {
        return "old workflows";
    }

    @Override
    public Duration runOnce() {
        if (!more && !chore.run(name(), INTERVAL)) {
            return INTERVAL;
        }
        more = false; // should the next line fail
        more = chore.resultOrGiveBack(name(), remove::run);
        return more ? Duration.ZERO : INTERVAL;
    }
}
