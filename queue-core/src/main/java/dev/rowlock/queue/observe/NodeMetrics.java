package dev.rowlock.queue.observe;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.operate.Pause;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.ClaimCounts;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.spi.NodeStatus.PolicyCounts;
import dev.rowlock.queue.spi.NodeStatus.QueueHandlers;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How this node is doing, as gauges: {@code rowlock.worker.*} by queue, {@code rowlock.node.*} and {@code rowlock.chore.*} are read from memory at each scrape.
 * And what is paused in the whole cluster: {@code rowlock.paused} is read from the database each 15 s.
 */
public final class NodeMetrics implements AutoCloseable {

    /** Names of pauses come from operators: whatever they do, there are no more tags than this. */
    private static final int MOST_PAUSES = 100;

    /** A scrape takes less. */
    private static final Duration FRESH = Duration.ofSeconds(1);

    private final Rowlock rowlock;
    private final MeterRegistry registry;
    private final Tags tags;
    private final Set<String> counted = new HashSet<>(); // queues; refresh only
    private final Set<String> asked = new HashSet<>(); // queues with policies; refresh only
    private final MultiGauge active;
    private final MultiGauge capacity;
    private final MultiGauge longest;
    private final MultiGauge choreAge;
    private final MultiGauge choreFailing;
    private final MultiGauge choreBehind;
    private final MultiGauge paused;
    private final Refresh timer;
    private volatile @Nullable Look look;

    /** @param tags of every meter: they tell this queue from others whose meters are in the same registry */
    public NodeMetrics(Rowlock rowlock, MeterRegistry registry, Tag... tags) {
        this.rowlock = rowlock;
        this.registry = registry;
        this.tags = Tags.of(tags);
        gauge("rowlock.node.beats", "1: the last heartbeat was answered", status -> flag(status.beats()));
        gauge("rowlock.node.records", "1: outcomes can be written", status -> flag(status.records()));
        gauge("rowlock.node.hears", "1: notifications arrive", status -> flag(status.hears()));
        gauge("rowlock.node.outcomes.unwritten", "Outcomes that are not written yet", NodeStatus::unwritten);
        gauge(
                "rowlock.node.outcomes.aside",
                "Outcomes that cannot be written although others can",
                NodeStatus::setAside);
        gauge(
                "rowlock.node.broken",
                "Threads that cannot go on, or whose work fails for long",
                status -> status.broken().size());
        gauge(
                "rowlock.node.heartbeat.age",
                "How long ago a heartbeat was last answered",
                "seconds",
                status -> seconds(status.sinceBeat()));
        this.active = rows("rowlock.worker.active", "Handlers that run now", null);
        this.capacity = rows("rowlock.worker.capacity", "Handlers that may run at once", null);
        this.longest = rows("rowlock.worker.longest", "How long the handler runs that began first", "seconds");
        this.choreAge = rows("rowlock.chore.success.age", "How long ago the chore succeeded on this node", "seconds");
        this.choreFailing = rows("rowlock.chore.failing", "1: the chore's last try failed", null);
        this.choreBehind = rows(
                "rowlock.chore.behind",
                "How long ago the walk began that the chore last completed on this node",
                "seconds");
        this.paused = rows("rowlock.paused", "1 for each pause that has not ended, in the whole cluster", null);
        this.timer = new Refresh(
                "rowlock-node-metrics", this::refresh, "pauses cannot be read; rowlock.paused keeps its last figures");
    }

    /** One for all gauges of a scrape. */
    private NodeStatus status() {
        Look last = look;
        long now = System.nanoTime();
        if (last == null || now - last.at > FRESH.toNanos()) {
            last = new Look(rowlock.status(), now);
            look = last;
        }
        return last.status;
    }

    /** @param at monotonic */
    private record Look(NodeStatus status, long at) {}

    private void gauge(String name, String description, ToDoubleFunction<NodeStatus> figure) {
        gauge(name, description, null, figure);
    }

    private void gauge(String name, String description, @Nullable String unit, ToDoubleFunction<NodeStatus> figure) {
        Gauge.builder(name, this, now -> figure.applyAsDouble(now.status()))
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    private MultiGauge rows(String name, String description, @Nullable String unit) {
        return MultiGauge.builder(name)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry);
    }

    public void start() {
        timer.start();
    }

    /** Finds out which chores there are, then reads the pauses. Called by the timer, and by tests. */
    public synchronized void refresh() {
        List<String> queues =
                rowlock.status().handlers().stream().map(QueueHandlers::queue).toList();
        active.register(ofQueues(queues, QueueHandlers::active), false);
        capacity.register(ofQueues(queues, QueueHandlers::capacity), false);
        longest.register(ofQueues(queues, handlers -> seconds(handlers.longest())), false);
        List<ChoreStatus> chores = rowlock.status().chores();
        choreAge.register(
                chores.stream()
                        .filter(chore -> chore.sinceSuccess() != null)
                        .map(chore -> Row.of(
                                Tags.of("chore", chore.name()), () -> since(chore.name(), ChoreStatus::sinceSuccess)))
                        .toList(),
                false);
        choreBehind.register(
                chores.stream()
                        .filter(chore -> chore.behind() != null)
                        .map(chore ->
                                Row.of(Tags.of("chore", chore.name()), () -> since(chore.name(), ChoreStatus::behind)))
                        .toList(),
                false);
        choreFailing.register(
                chores.stream()
                        .map(chore -> Row.of(Tags.of("chore", chore.name()), () -> failing(chore.name())))
                        .toList(),
                false);
        rowlock.status().claims().forEach(this::countClaims);
        rowlock.status().policies().forEach(this::countAnswers);
        paused.register(
                rowlock.admin().pauses().stream()
                        .limit(MOST_PAUSES)
                        .map(pause -> Row.of(tagsOf(pause), 1))
                        .toList(),
                false);
    }

    /** Zero while the node does not run. */
    private List<Row<?>> ofQueues(List<String> queues, ToDoubleFunction<QueueHandlers> figure) {
        return queues.stream()
                .<Row<?>>map(queue -> Row.of(
                        Tags.of("queue", queue),
                        () -> status().handlers().stream()
                                .filter(handlers -> handlers.queue().equals(queue))
                                .mapToDouble(figure)
                                .sum()))
                .toList();
    }

    /** Of a queue that had none yet. */
    private void countClaims(ClaimCounts first) {
        if (counted.add(first.queue())) {
            claims(first.queue(), "rowlock.claims", "Claims", Tags.of("result", "jobs"), ClaimCounts::successful);
            claims(first.queue(), "rowlock.claims", "Claims", Tags.of("result", "empty"), ClaimCounts::empty);
            claims(
                    first.queue(),
                    "rowlock.claims.jobs",
                    "Jobs that claims have brought",
                    Tags.empty(),
                    ClaimCounts::jobs);
        }
    }

    private void claims(
            String queue, String name, String description, Tags more, ToDoubleFunction<ClaimCounts> figure) {
        FunctionCounter.builder(
                        name,
                        this,
                        now -> now.status().claims().stream()
                                .filter(counts -> counts.queue().equals(queue))
                                .mapToDouble(figure)
                                .sum())
                .description(description)
                .tags(tags)
                .tags(more)
                .tag("queue", queue)
                .register(registry);
    }

    /** Of a policy that this node had not asked yet. */
    private void countAnswers(PolicyCounts first) {
        String queue = first.queue();
        if (asked.add(queue)) {
            answers(
                    queue,
                    "rowlock.policy.answers",
                    "Answers of a policy",
                    Tags.of("result", "good"),
                    PolicyCounts::good);
            answers(
                    queue,
                    "rowlock.policy.answers",
                    "Answers of a policy",
                    Tags.of("result", "bad"),
                    PolicyCounts::bad);
            answers(queue, "rowlock.policy.jobs", "Jobs that a policy has chosen", Tags.empty(), PolicyCounts::chosen);
        }
    }

    private void answers(
            String queue, String name, String description, Tags more, ToDoubleFunction<PolicyCounts> figure) {
        FunctionCounter.builder(
                        name,
                        this,
                        now -> now.status().policies().stream()
                                .filter(counts -> counts.queue().equals(queue))
                                .mapToDouble(figure)
                                .sum())
                .description(description)
                .tags(tags)
                .tags(more)
                .tag("queue", queue)
                .register(registry);
    }

    private static double seconds(@Nullable Duration time) {
        return time == null ? Double.NaN : time.toNanos() / 1e9;
    }

    private double since(String chore, Function<ChoreStatus, @Nullable Duration> which) {
        for (ChoreStatus status : status().chores()) {
            if (status.name().equals(chore)) {
                return seconds(which.apply(status));
            }
        }
        return Double.NaN; // the node was stopped since the last refresh
    }

    private double failing(String chore) {
        return status().chores().stream().anyMatch(status -> status.name().equals(chore) && status.failing()) ? 1 : 0;
    }

    private static Tags tagsOf(Pause pause) {
        return Tags.of("kind", pause.kind().name().toLowerCase(Locale.ROOT), "name", pause.name());
    }

    private static double flag(boolean yes) {
        return yes ? 1 : 0;
    }

    @Override
    public void close() {
        timer.close();
    }
}
