package dev.rowlock.queue.observe;

import dev.rowlock.queue.DatabaseFigure;
import dev.rowlock.queue.JobSearch;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the database is doing, as gauges {@code rowlock.database.*}: what holds back vacuum, dead rows, sizes, the queue of notifications; and how many workflows
 * are open ({@code rowlock.workflow*}), and what waits for policies ({@code rowlock.policy.decides}, {@code
 * rowlock.policy.held.jobs}). One node measures that for all, each 30 s; every node reads the last measurement each 15 s. And,
 * for this process alone, how far the database's clock is ahead of its own.
 */
public final class DatabaseMetrics implements AutoCloseable {

    private final JobSearch search;
    private final Map<String, Family> families;
    private final Refresh timer;
    private volatile double ahead = Double.NaN; // seconds
    private volatile double snapshotAge = Double.NaN; // seconds at readNanos
    private volatile long readNanos = System.nanoTime();

    /** @param tags of every meter: they tell this queue from others whose meters are in the same registry */
    public DatabaseMetrics(JobSearch search, MeterRegistry registry, Tag... tags) {
        this.search = search;
        Tags common = Tags.of(tags);
        this.families = Stream.of(
                        family(
                                "horizon.transactions",
                                "holder",
                                "transactions",
                                "How many transactions back vacuum is held"),
                        family(
                                "transaction.age",
                                null,
                                "seconds",
                                "Age of the oldest transaction that holds back vacuum"),
                        family("dead.rows", "table", null, "Dead rows of a table of ours"),
                        family("table.size", "table", "bytes", "Size of a table of ours with its indexes"),
                        family("notification.usage", null, "ratio", "How full the server's queue of notifications is"),
                        more("workflows", "state", "Workflows that have not ended, or have failed; up to 10,000"),
                        more(
                                "workflow.steps.moving",
                                null,
                                "Steps whose jobs are about to run or to be skipped; up to 10,000"),
                        more("policy.decides", "queue", "1: jobs of the queue wait for its policy"),
                        more("policy.held.jobs", "queue", "Jobs that wait for a policy; up to 10,000"))
                .collect(Collectors.toMap(Shown::figure, shown -> new Family(registry, common, shown)));
        Gauge.builder("rowlock.database.clock.ahead", this, metrics -> metrics.ahead)
                .description("How far the database's clock is ahead of this process's")
                .baseUnit("seconds")
                .tags(common)
                .register(registry);
        Gauge.builder("rowlock.database.snapshot.age", this, DatabaseMetrics::age)
                .description("How old the measurement behind rowlock.database.* is")
                .baseUnit("seconds")
                .tags(common)
                .register(registry);
        this.timer = new Refresh(
                "rowlock-database-metrics",
                this::refresh,
                "figures of the database cannot be read; rowlock.database.* keeps the last ones");
    }

    private static Shown family(String figure, @Nullable String tag, @Nullable String unit, String description) {
        return new Shown(figure, "rowlock.database." + figure, tag, unit, description);
    }

    private static Shown more(String figure, @Nullable String tag, String description) {
        return new Shown(figure, "rowlock." + figure, tag, null, description);
    }

    /** How a figure is shown. */
    private record Shown(
            String figure,
            String meter,
            @Nullable String tag,
            @Nullable String unit,
            String description) {}

    public void start() {
        timer.start();
    }

    /** Reads the last measurement. Called by the timer, and by tests. */
    public void refresh() {
        ahead = search.clockDifference().toNanos() / 1e9;
        List<DatabaseFigure> figures = search.databaseFigures();
        snapshotAge = figures.stream()
                .mapToDouble(figure -> figure.age().toNanos() / 1e9)
                .min()
                .orElse(Double.NaN);
        readNanos = System.nanoTime();
        families.forEach((name, family) -> family.show(
                figures.stream().filter(figure -> figure.name().equals(name)).toList()));
    }

    private double age() {
        return snapshotAge + (System.nanoTime() - readNanos) / 1e9;
    }

    @Override
    public void close() {
        timer.close();
    }

    /** The gauges of one name. */
    private static final class Family {

        private final GaugeRows gauges;
        private final @Nullable String tag;

        Family(MeterRegistry registry, Tags common, Shown shown) {
            this.tag = shown.tag();
            this.gauges = new GaugeRows(MultiGauge.builder(shown.meter())
                    .description(shown.description())
                    .baseUnit(shown.unit())
                    .tags(common)
                    .register(registry));
        }

        void show(List<DatabaseFigure> figures) {
            gauges.show(figures.stream()
                    .collect(Collectors.toMap(
                            figure -> tag == null ? Tags.empty() : Tags.of(tag, figure.detail()),
                            DatabaseFigure::value)));
        }
    }
}
