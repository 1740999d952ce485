package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ChoreLoop;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.janitor.Cleanup;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.Dispatcher;
import dev.rowlock.queue.internal.janitor.OverdueJobs;
import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.internal.janitor.Rescue;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.internal.janitor.UnacknowledgedClaims;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.internal.lease.RemoveExpiredNodes;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.JobObserver;
import java.util.ArrayList;
import java.util.List;

/**
 * The chores of this node, and those of them that others tell of something. The dispatcher has a thread of its own, because jobs wait for it. So have the chores that
 * take jobs from dead nodes, lost claims and late handlers: no count or drop of large tables, and no lock of another transaction, may delay them. The others share a
 * third thread, and each feature has one. Each thread uses one connection at a time.
 */
record NodeChores(
        Dispatcher dispatcher, Rescue rescue, UnacknowledgedClaims unacknowledgedClaims, List<ChoreLoop> loops) {

    static NodeChores of(
            NodeSettings settings, NodeServices services, List<Feature> features, OwnNode own, JobObserver observer) {
        Database database = services.database();
        WakeupBus wakeups = services.wakeups();
        Dispatcher dispatcher = new Dispatcher(
                new DispatchDueJobs(database),
                wakeups,
                settings.worker().fetch().pollInterval(),
                () -> own.hearing() ? own.place() : Place.ALONE);
        Rescue rescue = new Rescue(
                new RemoveExpiredNodes(database),
                own,
                new RescueJobs(database),
                settings.lease().maxCrashes(),
                observer,
                wakeups);
        UnacknowledgedClaims unacknowledgedClaims =
                new UnacknowledgedClaims(new ReleaseStrandedJobs(database), own, wakeups);
        List<ChoreLoop> loops = new ArrayList<>();
        loops.add(loop("dispatcher", List.of(dispatcher)));
        loops.add(loop(
                "rescue",
                List.of(
                        rescue,
                        rescue.strayJobs(new TakeChore(database)),
                        unacknowledgedClaims,
                        new OverdueJobs(
                                own, new OverdueStatements(database), settings.retry(), wakeups, System::nanoTime))));
        loops.add(loop("janitor", Cleanup.chores(database, settings.retention())));
        features.forEach(
                feature -> loops.add(new ChoreLoop("rowlock-" + feature.name(), feature.chores(own), feature::last)));
        return new NodeChores(dispatcher, rescue, unacknowledgedClaims, List.copyOf(loops));
    }

    private static ChoreLoop loop(String name, List<Chore> chores) {
        return new ChoreLoop("rowlock-" + name, chores, longest -> {});
    }
}
