package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.chore.FeatureChores;
import dev.rowlock.queue.internal.claim.Fetchers;
import dev.rowlock.queue.internal.janitor.Janitor;
import dev.rowlock.queue.internal.lease.NodeLease;
import dev.rowlock.queue.internal.run.QueueWorker;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.Failing;
import dev.rowlock.queue.internal.wake.NotificationListener;
import dev.rowlock.queue.spi.NodeStatus;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Health of the parts of a running node. */
record NodeHealth(
        NodeParts parts,
        NodeLease lease,
        Janitor janitor,
        FeatureChores features,
        @Nullable NotificationListener notifications,
        Fetchers fetchers,
        EndlessTask recording,
        EndlessTask leasing) {

    NodeStatus status() {
        return new NodeStatus(
                lease.nodeId() == 0 ? NodeStatus.State.STARTING : NodeStatus.State.RUNNING,
                lease.nodeId(),
                !lease.failing(),
                !parts.recorder().failing(),
                hearing(),
                parts.active(),
                parts.capacity(),
                parts.recorder().unwritten(),
                parts.recorder().setAside(),
                broken(),
                Stream.concat(janitor.chores(), features.chores()).toList(),
                lease.sinceBeat(),
                fetchers.counts(),
                features.policies().toList(),
                parts.recorder().inVain());
    }

    private List<String> broken() {
        Stream<EndlessTask> node = Stream.of(
                        Stream.of(recording, leasing), janitor.parts().stream(), features.threads().stream())
                .flatMap(some -> some);
        Stream<EndlessTask> all =
                Stream.concat(node, Stream.ofNullable(notifications).map(NotificationListener::part));
        Stream<String> names = Stream.concat(
                all.filter(EndlessTask::troubled).map(EndlessTask::name),
                Stream.concat(fetchers.broken(), parts.queues().stream().flatMap(QueueWorker::broken)));
        Stream<String> stuck = stuck() ? Stream.of(recording.name()) : Stream.of();
        return Stream.of(names, stuck, failing())
                .flatMap(some -> some)
                .distinct()
                .sorted()
                .toList();
    }

    /** While the database does not answer, and for a moment after that, everything fails: the heartbeat tells of it. */
    private Stream<String> failing() {
        return lease.answeredFor(Failing.LASTING)
                ? Stream.of(fetchers.failing(), janitor.failing(), features.failing())
                        .flatMap(some -> some)
                : Stream.empty();
    }

    /** Why its lease must not be renewed; null: it may. */
    @Nullable
    String unable() {
        boolean stuck = stuck();
        return stuck || recording.troubled()
                ? "outcomes are not written any more: '%s' %s"
                        .formatted(
                                recording.name(),
                                stuck
                                        ? "is stuck, in the driver or waiting for a connection of the pool"
                                        : "cannot go on")
                : null;
    }

    private boolean stuck() {
        return parts.recorder().stuck(System.nanoTime());
    }

    /** Whether notifications arrive. */
    boolean hearing() {
        return notifications != null && notifications.hearing();
    }
}
