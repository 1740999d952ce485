package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.admin.JobStatements;
import dev.rowlock.queue.internal.store.claim.RemoveReached;
import dev.rowlock.queue.internal.store.cleanup.AgreeRetention;
import dev.rowlock.queue.internal.store.cleanup.DropDonePartitions;
import dev.rowlock.queue.internal.store.cleanup.IndexDonePartitions;
import dev.rowlock.queue.internal.store.cleanup.Leftovers;
import dev.rowlock.queue.internal.store.cleanup.Measurements;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.settings.RetentionSettings;
import java.time.Clock;
import java.util.List;

/** The chores of a node that keep tables small, and those that measure. */
public final class Cleanup {

    private Cleanup() {}

    /** One node's, the urgent ones first. */
    public static List<Chore> chores(Database database, RetentionSettings retention) {
        TakeChore takeChore = new TakeChore(database);
        return List.of(
                new DonePartitions(new EnsureDonePartitions(database)),
                new Retention(
                        retention,
                        takeChore,
                        new AgreeRetention(database),
                        new DropDonePartitions(database.patient()),
                        new JobStatements(database),
                        Clock.systemUTC()),
                new DoneByQueue(takeChore, new IndexDonePartitions(database.patient())),
                new FreeKeys(takeChore, new Leftovers(database)),
                new LeftoverPayloads(takeChore, new Leftovers(database.patient())),
                new EndedCheckpoints(takeChore, new Leftovers(database.patient())),
                new PastNodes(takeChore, new Leftovers(database.patient())),
                new ReachedPlaces(takeChore, new RemoveReached(database)),
                new DepthMeasurement(takeChore, new Measurements(database.patient())),
                new DatabaseMeasurement(takeChore, new Measurements(database)));
    }
}
