package dev.rowlock.queue.autoconfigure.endpoint;

import dev.rowlock.queue.ListenerHandle;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.search.NodeSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the endpoint shows, field by field: what is added elsewhere is not published by itself. */
final class Shown {

    private Shown() {}

    record Node(
            long id,
            String name,
            List<String> queues,
            Instant startedAt,
            Duration sinceHeartbeat,
            Duration lease,
            boolean expired) {

        static Node of(NodeSummary node) {
            return new Node(
                    node.id(),
                    node.name(),
                    node.queues(),
                    node.startedAt(),
                    node.sinceHeartbeat(),
                    node.lease(),
                    node.expired());
        }
    }

    record Listener(String id, String queue, String type, boolean running) {

        static Listener of(ListenerHandle listener) {
            return new Listener(listener.id(), listener.queue(), listener.type(), listener.running());
        }
    }

    record RecurringJob(
            String name,
            String schedule,
            boolean declared,
            String type,
            String queue,
            boolean paused,
            boolean retired,
            @Nullable Instant lastRun,
            @Nullable Long lastJob,
            long skipped,
            List<Instant> next) {

        static RecurringJob of(RecurringJobDetails job) {
            return new RecurringJob(
                    job.name(),
                    job.schedule().toString(),
                    job.declared(),
                    job.type(),
                    job.queue(),
                    job.paused(),
                    job.retired(),
                    job.lastRun(),
                    job.lastJob(),
                    job.skipped(),
                    job.next());
        }
    }

    /** Without the filter: that may name what a payload holds. */
    record Bulk(
            long id,
            BulkAction.Kind kind,
            BulkAction.State state,
            String who,
            long counted,
            boolean countedAll,
            long done,
            Instant createdAt,
            @Nullable Instant endedAt) {

        static Bulk of(BulkAction action) {
            return new Bulk(
                    action.id(),
                    action.kind(),
                    action.state(),
                    action.who(),
                    action.counted(),
                    action.countedAll(),
                    action.done(),
                    action.createdAt(),
                    action.endedAt());
        }
    }
}
