package dev.rowlock.queue.observe;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.operate.Pause;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.NodeStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How this node is doing, as gauges: {@code rowlock.worker.*}, {@code rowlock.node.*} and {@code rowlock.chore.*} are read from memory at each scrape.
 * And what is paused in the whole cluster: {@code rowlock.paused} is read from the database each 15 s.
 */
public final class NodeMetrics implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NodeMetrics.class);

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    /** Names of pauses come from operators: whatever they do, there are no more tags than this. */
    private static final int MOST_PAUSES = 100;

    private final Rowlock rowlock;
    private final MeterRegistry registry;
    private final Tags tags;
    private final MultiGauge choreAge;
    private final MultiGauge choreFailing;
    private final MultiGauge paused;
    private final ScheduledExecutorService timer;
    private boolean failing; // timer's thread only

    /** @param tags of every meter: they tell this queue from others whose meters are in the same registry */
    public NodeMetrics(Rowlock rowlock, MeterRegistry registry, Tag... tags) {
        this.rowlock = rowlock;
        this.registry = registry;
        this.tags = Tags.of(tags);
        gauge("rowlock.worker.active", "Handlers that run now", NodeStatus::active);
        gauge("rowlock.worker.capacity", "Handlers that may run at once", NodeStatus::capacity);
        gauge("rowlock.node.beats", "1: the last heartbeat was answered", status -> flag(status.beats()));
        gauge("rowlock.node.records", "1: outcomes can be written", status -> flag(status.records()));
        gauge("rowlock.node.hears", "1: notifications arrive", status -> flag(status.hears()));
        gauge("rowlock.node.outcomes.unwritten", "Outcomes that are not written yet", NodeStatus::unwritten);
        gauge(
                "rowlock.node.outcomes.aside",
                "Outcomes that cannot be written although others can",
                NodeStatus::setAside);
        gauge("rowlock.node.broken", "Threads that cannot go on, or whose work fails for long", status -> status.broken()
                .size());
        this.choreAge = rows("rowlock.chore.success.age", "How long ago the chore succeeded on this node", "seconds");
        this.choreFailing = rows("rowlock.chore.failing", "1: the chore's last try failed", null);
        this.paused = rows("rowlock.paused", "1 for each pause that has not ended, in the whole cluster", null);
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rowlock-node-metrics");
            thread.setDaemon(true);
            return thread;
        });
    }

    private void gauge(String name, String description, ToDoubleFunction<NodeStatus> figure) {
        Gauge.builder(name, rowlock, now -> figure.applyAsDouble(now.status()))
                .description(description)
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
        timer.scheduleWithFixedDelay(this::refreshQuietly, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void refreshQuietly() {
        try {
            refresh();
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("pauses cannot be read; rowlock.paused keeps its last figures", e);
            }
            failing = true;
        }
    }

    /** Finds out which chores there are, then reads the pauses. Called by the timer, and by tests. */
    public void refresh() {
        List<ChoreStatus> chores = rowlock.status().chores();
        choreAge.register(
                chores.stream()
                        .filter(chore -> chore.sinceSuccess() != null)
                        .map(chore -> Row.of(Tags.of("chore", chore.name()), () -> age(chore.name())))
                        .toList(),
                true);
        choreFailing.register(
                chores.stream()
                        .map(chore -> Row.of(Tags.of("chore", chore.name()), () -> failing(chore.name())))
                        .toList(),
                true);
        paused.register(
                rowlock.admin().pauses().stream()
                        .limit(MOST_PAUSES)
                        .map(pause -> Row.of(tagsOf(pause), 1))
                        .toList(),
                true);
    }

    private double age(String chore) {
        for (ChoreStatus status : rowlock.status().chores()) {
            Duration since = status.sinceSuccess();
            if (status.name().equals(chore) && since != null) {
                return since.toNanos() / 1e9;
            }
        }
        return Double.NaN; // the node was stopped since the last refresh
    }

    private double failing(String chore) {
        return rowlock.status().chores().stream()
                .anyMatch(status -> status.name().equals(chore) && status.failing())
                ? 1
                : 0;
    }

    private static Tags tagsOf(Pause pause) {
        return Tags.of("kind", pause.kind().name().toLowerCase(Locale.ROOT), "name", pause.name());
    }

    private static double flag(boolean yes) {
        return yes ? 1 : 0;
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
