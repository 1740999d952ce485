package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.internal.janitor.AgreeRetention;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.spi.Wakeups;
import java.util.List;

/** Bulk actions and audit retention on each node. */
public final class OperateFeature implements Feature {

    private final Database database;
    private final Wakeups wakeups;
    private final RetentionSettings retention;

    public OperateFeature(Database database, Wakeups wakeups, RetentionSettings retention) {
        this.database = database;
        this.wakeups = wakeups;
        this.retention = retention;
    }

    @Override
    public String name() {
        return "operations";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        return List.of(
                new BulkBatches(
                        new DoBulkBatch(database),
                        new BulkActionStatements(database),
                        new LimitStatements(database),
                        wakeups),
                new AuditRetention(
                        retention,
                        new AgreeRetention(database),
                        new TakeChore(database),
                        new AuditStatements(database)));
    }
}
