package dev.rowlock.queue.dashboard.api.view;

import dev.rowlock.queue.QueueDepth;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.operate.Pause;
import dev.rowlock.queue.search.JobGlance;
import dev.rowlock.queue.search.NodeSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Figures that the page shows at its start and that come live later: both in the same shape. */
public final class Figures {

    private Figures() {}

    /**
     * One queue.
     *
     * @param oldestSeconds how long the job that waited longest had been runnable at the measurement; null: none waited. Nothing here grows between two
     *     measurements, so that an open page hears of queues only when there is news
     */
    public record Queue(
            String queue,
            long waiting,
            long ready,
            long running,
            long dead,
            @Nullable Double oldestSeconds) {}

    public record Paused(
            String kind,
            String name,
            Instant since,
            String who,
            @Nullable String why) {}

    public record Node(
            String id,
            String name,
            List<String> queues,
            Instant startedAt,
            long silentMillis,
            long leaseMillis,
            boolean expired) {}

    /** A bulk action without its filter, which not all viewers may see. */
    public record Progress(
            String id,
            String kind,
            String state,
            String who,
            long counted,
            boolean countedAll,
            long done,
            long refused) {}

    /** A job that somebody looks at. */
    public record Watched(
            String id,
            String state,
            int attempt,
            @Nullable Integer progress,
            @Nullable String progressNote) {

        public static Watched of(JobGlance job, Redaction redaction) {
            return new Watched(
                    Long.toString(job.id()),
                    job.state().label(),
                    job.attempt(),
                    job.progress(),
                    redaction.progress(job.type(), job.progressNote()));
        }
    }

    public static List<Queue> queues(List<QueueDepth> depths) {
        Map<String, Queue> queues = new TreeMap<>();
        for (QueueDepth depth : depths) {
            queues.merge(depth.queue(), of(depth), Figures::sum);
        }
        return List.copyOf(queues.values());
    }

    private static Queue of(QueueDepth depth) {
        long jobs = depth.jobs();
        Duration oldest = depth.oldest();
        return new Queue(
                depth.queue(),
                depth.room().equals("waiting") ? jobs : 0,
                depth.room().equals("ready") ? jobs : 0,
                depth.room().equals("running") ? jobs : 0,
                depth.room().equals("dead") ? jobs : 0,
                depth.room().equals("ready") && oldest != null ? seconds(oldest) : null);
    }

    private static Queue sum(Queue one, Queue other) {
        return new Queue(
                one.queue(),
                one.waiting() + other.waiting(),
                one.ready() + other.ready(),
                one.running() + other.running(),
                one.dead() + other.dead(),
                one.oldestSeconds() == null ? other.oldestSeconds() : one.oldestSeconds());
    }

    private static double seconds(Duration time) {
        return Math.round(time.toMillis() / 100.0) / 10.0;
    }

    public static List<Paused> pauses(List<Pause> pauses) {
        return pauses.stream()
                .map(pause -> new Paused(pause.kind().name(), pause.name(), pause.since(), pause.who(), pause.why()))
                .toList();
    }

    public static List<Node> nodes(List<NodeSummary> nodes) {
        return nodes.stream()
                .map(node -> new Node(
                        Long.toString(node.id()),
                        node.name(),
                        node.queues(),
                        node.startedAt(),
                        node.sinceHeartbeat().toMillis(),
                        node.lease().toMillis(),
                        node.expired()))
                .toList();
    }

    public static List<Progress> progress(List<BulkAction> actions) {
        return actions.stream()
                .map(action -> new Progress(
                        Long.toString(action.id()),
                        action.kind().name(),
                        action.state().name(),
                        action.who(),
                        action.counted(),
                        action.countedAll(),
                        action.done(),
                        action.refused()))
                .toList();
    }
}
