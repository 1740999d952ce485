package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Row;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Limits as rows of {@code queue_limit}. */
final class LimitColumns {

    /** What there is beside the queue. */
    static final String NAMES = """
            max_running, max_running_per_key, rate_jobs, rate_millis, rate_burst, key_rate_jobs, key_rate_millis, key_rate_burst, in_order, burst_per_key
            """;

    /** A table of limits, made of the parameters that {@link #set} sets. */
    static final String GIVEN = """
            unnest(:queues::text[], :max_running::int[], :max_running_per_key::int[], :rate_jobs::int[], :rate_millis::bigint[], :rate_burst::int[],
                   :key_rate_jobs::int[], :key_rate_millis::bigint[], :key_rate_burst::int[], :in_order::text[], :burst_per_key::int[])
                AS given (queue, %s)
            """.formatted(NAMES);

    /** In an insert with {@code ON CONFLICT}: takes all over. */
    static final String TAKEN_OVER = "(%s) = ROW (%s)".formatted(NAMES, of("excluded"));

    /** In an update of the table {@code l}: takes what its column {@code declared_limit} says. */
    static final String AS_DECLARED = """
            (%1$s) = (
                SELECT %1$s FROM jsonb_to_record(l.declared_limit) AS declared (
                       max_running int, max_running_per_key int, rate_jobs int, rate_millis bigint, rate_burst int,
                       key_rate_jobs int, key_rate_millis bigint, key_rate_burst int, in_order text, burst_per_key int))
            """.formatted(NAMES);

    static final Row<QueueLimit> LIMIT = row -> new QueueLimit(
            row.getString(1),
            Columns.integer(row, 2),
            Columns.integer(row, 3),
            burst(Columns.integer(row, 11), Columns.integer(row, 3)),
            rate(row, 4),
            rate(row, 7),
            order(row.getString(10)));

    private LimitColumns() {}

    /** {@link #NAMES} of this table. */
    static String of(String table) {
        return table + '.' + NAMES.strip().replace(", ", ", " + table + '.');
    }

    /** {@link #NAMES} of this table as JSON, as in the column {@code declared_limit}. */
    static String json(String table) {
        return Stream.of(NAMES.strip().split(", "))
                .map(name -> "'%1$s', %2$s.%1$s".formatted(name, table))
                .collect(Collectors.joining(", ", "jsonb_strip_nulls(jsonb_build_object(", "))"));
    }

    /** Sets what {@link #GIVEN} asks for. */
    static void set(ColdStatement statement, List<QueueLimit> limits) {
        statement.set("queues", Columns.texts(limits, QueueLimit::queue));
        statement.set("max_running", integers(limits, QueueLimit::maxRunning));
        statement.set("max_running_per_key", integers(limits, QueueLimit::maxRunningPerKey));
        setRates(statement, "rate", limits.stream().map(QueueLimit::rate).toArray(Rate[]::new));
        setRates(
                statement,
                "key_rate",
                limits.stream().map(QueueLimit::ratePerKey).toArray(Rate[]::new));
        statement.set("in_order", Columns.texts(limits, LimitColumns::order));
        statement.set("burst_per_key", integers(limits, QueueLimit::burstPerKey));
    }

    /** A node of the version before leaves the burst as it was when it changes the limit: then it may exceed that no more, and claims do not look at it. */
    private static @Nullable Integer burst(@Nullable Integer burst, @Nullable Integer limit) {
        return burst == null || limit == null || burst <= limit ? null : burst;
    }

    private static @Nullable Integer[] integers(
            List<QueueLimit> limits, Function<QueueLimit, @Nullable Integer> column) {
        return limits.stream().map(column).toArray(Integer[]::new);
    }

    private static void setRates(ColdStatement statement, String of, @Nullable Rate[] rates) {
        @Nullable Integer[] jobs = new Integer[rates.length];
        @Nullable Long[] millis = new Long[rates.length];
        @Nullable Integer[] bursts = new Integer[rates.length];
        for (int i = 0; i < rates.length; i++) {
            Rate rate = rates[i];
            if (rate != null) {
                jobs[i] = rate.jobs();
                millis[i] = rate.per().toMillis();
                bursts[i] = rate.burst();
            }
        }
        statement.set(of + "_jobs", jobs);
        statement.set(of + "_millis", millis);
        statement.set(of + "_burst", bursts);
    }

    private static @Nullable Rate rate(ResultSet row, int first) throws SQLException {
        Integer jobs = Columns.integer(row, first);
        return jobs == null ? null : new Rate(jobs, Duration.ofMillis(row.getLong(first + 1)), row.getInt(first + 2));
    }

    private static @Nullable String order(QueueLimit limit) {
        return limit.inOrder() == null ? null : limit.inOrder().label();
    }

    private static @Nullable AfterFailure order(@Nullable String label) {
        return label == null ? null : AfterFailure.of(label);
    }
}
