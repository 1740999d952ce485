package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.claim.ClaimBudget;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.Claimer;
import dev.rowlock.queue.internal.claim.Claimer.KeyedSource;
import dev.rowlock.queue.internal.claim.Fetcher;
import dev.rowlock.queue.internal.claim.Fetchers;
import dev.rowlock.queue.internal.claim.FindReadyQueues;
import dev.rowlock.queue.internal.claim.NodeView;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.StoredRetries;
import dev.rowlock.queue.internal.lease.LongRun;
import dev.rowlock.queue.internal.lease.NodeRow;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.record.Observers;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.record.OutcomeWriter;
import dev.rowlock.queue.internal.record.Recorder;
import dev.rowlock.queue.internal.run.Buffer;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.internal.run.Deadlines;
import dev.rowlock.queue.internal.run.Gathering;
import dev.rowlock.queue.internal.run.HandlerInvoker;
import dev.rowlock.queue.internal.run.Interceptors;
import dev.rowlock.queue.internal.run.QueueWorker;
import dev.rowlock.queue.internal.run.QueueWorker.SkippedTypes;
import dev.rowlock.queue.internal.run.Results;
import dev.rowlock.queue.internal.run.Suspects;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The parts of a node that run jobs, put together. */
public record NodeParts(
        NodeSettings settings,
        ClaimReadyJobs claim,
        KeyedSource keyed,
        FindReadyQueues readyQueues,
        List<QueueWorker> queues,
        Map<String, List<ListenerDefinition>> listeners,
        Recorder recorder,
        Observers observers,
        Deadlines deadlines) {

    /** By then all usual policies have reached their longest wait. */
    private static final int MOST_WAITS = 20;

    public static NodeParts assemble(NodeSettings settings, NodeServices services, List<ListenerDefinition> listeners) {
        Map<String, List<ListenerDefinition>> byQueue = listeners.stream()
                .collect(Collectors.groupingBy(ListenerDefinition::queue, TreeMap::new, Collectors.toList()));
        Observers observers = new Observers(services.extensions().observers());
        Recorder recorder = recorder(settings, services, observers);
        Deadlines deadlines = new Deadlines("rowlock");
        Interceptors.requireChunks(listeners, services.extensions().interceptors());
        Duration longestWait = Buffer.longestWait(settings.worker().fetch()).plus(Gathering.longestLinger(listeners));
        HandlerInvoker invoker = new HandlerInvoker(
                listeners,
                handlerServices(settings, services, deadlines, longestWait),
                services.extensions(),
                services.transactions());
        QueueWorker.Shared shared = new QueueWorker.Shared(
                invoker,
                recorder,
                new Suspects(
                        new ClaimStatements(services.database()),
                        deadlines,
                        settings.lease().maxCrashes()),
                observers,
                ClaimBudget.ofHeap(Runtime.getRuntime().maxMemory()));
        List<QueueWorker> queues = byQueue.entrySet().stream()
                .map(entry -> new QueueWorker(
                        entry.getKey(),
                        QueueConcurrency.of(entry.getKey(), entry.getValue(), settings.worker()),
                        settings.worker().fetch(),
                        shared,
                        entry.getValue()))
                .toList();
        ClaimReadyJobs claim = new ClaimReadyJobs(services.database(), longestWait);
        return new NodeParts(
                settings,
                claim,
                new KeyedSource(
                        new ClaimKeyedJobs(services.database(), longestWait, claim.unanswered()),
                        services.wakeups()::attention),
                new FindReadyQueues(services.database()),
                queues,
                byQueue,
                recorder,
                observers,
                deadlines);
    }

    Fetchers fetchers(NodeView node, WakeupBus wakeups) {
        return new Fetchers(
                queues.stream().map(queue -> fetcher(queue, node, wakeups)).toList(),
                readyQueues,
                node,
                settings.worker().fetch().pollInterval());
    }

    private Fetcher fetcher(QueueWorker queue, NodeView node, WakeupBus wakeups) {
        FetchSettings fetch = settings.worker().fetch();
        String timeouts = timeouts(listeners.getOrDefault(queue.queue(), List.of()));
        Claimer claimer = new Claimer(queue, claim, keyed, fetch, node, timeouts);
        Fetcher fetcher = new Fetcher(claimer, fetch.pollInterval(), Fetcher.KEPT);
        queue.whenGateHasRoom(
                key -> {
                    if (fetcher.countedJobEnded(key)) {
                        wakeups.roomElsewhere(queue.queue(), key);
                    }
                },
                fetcher::counts);
        return fetcher;
    }

    /**
     * Leaves jobs of these types ready, in the queues of their listeners.
     *
     * @param paused those of them that no queue may begin: where others listen, nobody expects them, and they are put aside
     */
    void leave(Set<String> types, Set<String> paused, Fetchers fetchers) {
        for (QueueWorker worker : queues) {
            Set<String> known = listeners.getOrDefault(worker.queue(), List.of()).stream()
                    .flatMap(listener -> listener.types().stream())
                    .collect(Collectors.toSet());
            Set<String> left = known.stream().filter(types::contains).collect(Collectors.toUnmodifiableSet());
            // First: what the worker gives back must not be claimed again.
            fetchers.of(worker.queue(), fetcher -> fetcher.leave(left, left.equals(known)));
            worker.leave(new SkippedTypes(left, paused));
        }
    }

    /** The claims of handlers that still run so long after their deadline. */
    List<OverdueClaim> overdue(Duration grace) {
        return queues.stream()
                .flatMap(queue -> queue.held().overdue(grace))
                .map(execution -> new OverdueClaim(execution.job().claim(), execution.shared()))
                .toList();
    }

    /** The jobs whose handlers have been running for so long. */
    List<LongRun> longRuns(Duration atLeast) {
        return queues.stream()
                .flatMap(queue -> queue.held().running(atLeast))
                .flatMap(execution -> Optional.ofNullable(execution.thread())
                        .map(handler -> new LongRun(execution.job(), execution.runningFor(), handler))
                        .stream())
                .toList();
    }

    /** The tokens of the claims that are held. */
    long[] heldTokens() {
        return queues.stream().flatMapToLong(queue -> queue.held().tokens()).toArray();
    }

    /** How many jobs of this type are in the hands of handlers, or about to be. */
    long busy(String type) {
        return queues.stream()
                .flatMap(queue -> queue.held().busy())
                .filter(job -> job.type().equals(type))
                .count();
    }

    /** What others must know of this node. */
    NodeRow.Work work() {
        return new NodeRow.Work(slots(), retries(listeners.values().stream().flatMap(List::stream)));
    }

    /**
     * Retries and back-off of listeners, as a JSON object by type: stored for the janitors of other nodes, which have neither the listeners nor their
     * strategies.
     */
    static String retries(Stream<ListenerDefinition> listeners) {
        ObjectNode byType = JsonNodeFactory.instance.objectNode();
        listeners.forEach(listener -> {
            ObjectNode retries = StoredRetries.of(listener.retry().fallback(), MOST_WAITS);
            listener.types().forEach(type -> byType.set(type, retries));
        });
        return byType.toString();
    }

    private Map<String, Integer> slots() {
        Map<String, Integer> slots = new LinkedHashMap<>();
        queues.forEach(queue -> slots.put(queue.queue(), queue.concurrency()));
        return slots;
    }

    /** For the log line at the start: queues with their concurrency. */
    String summary() {
        return queues.stream()
                .map(queue -> "'%s' (%d at once)".formatted(queue.queue(), queue.concurrency()))
                .collect(Collectors.joining(", "));
    }

    private static Recorder recorder(NodeSettings settings, NodeServices services, Observers observers) {
        OutcomeWriter writer =
                new OutcomeWriter(services.database(), settings.retention().keepsDone(), services.wakeups());
        return new Recorder(writer, observers);
    }

    static HandlerInvoker.Services handlerServices(
            NodeSettings settings, NodeServices services, Deadlines deadlines, Duration longestWait) {
        Database database = services.database();
        return new HandlerInvoker.Services(
                database,
                new ClaimStatements(database),
                new OutcomeStatements(database, settings.retention().keepsDone()),
                new EnsureDonePartitions(database),
                deadlines,
                longestWait,
                new Results(services.codec(), database.encryption(), settings.maxResultBytes()),
                services.codec(),
                services.extensions().log());
    }

    /** The listeners' timeouts for the claim: a JSON object of milliseconds by type; null if there are none. */
    static @Nullable String timeouts(List<ListenerDefinition> listeners) {
        Map<String, Long> millis = new TreeMap<>();
        for (ListenerDefinition listener : listeners) {
            if (listener.timeout() != null) {
                listener.types()
                        .forEach(type -> millis.put(type, listener.timeout().toMillis()));
            }
        }
        return millis.isEmpty() ? null : JsonMapper.shared().writeValueAsString(millis);
    }
}
