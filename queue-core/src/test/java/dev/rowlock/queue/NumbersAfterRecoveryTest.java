package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Whatever is the first to draw a number from a server that has recovered: it lets the numbers move on, so that none comes twice. */
@PostgresTest(freshPerTest = true, migrated = true)
class NumbersAfterRecoveryTest {

    private static final long FAR = 1_000_000_000;

    @JobType("work")
    record Work(String what) {}

    enum First {
        ENQUEUE((rowlock, sql) -> rowlock.jobs().enqueue(new Work("a"))),
        ENQUEUE_LATER((rowlock, sql) -> rowlock.jobs().enqueue(new Work("a"), o -> o.delay(Duration.ofDays(1)))),
        ENQUEUE_ALL((rowlock, sql) -> rowlock.jobs().enqueueAll(List.of(new Work("a"), new Work("b")))),
        ENQUEUE_UNIQUE((rowlock, sql) -> rowlock.jobs().enqueueUnique(new Work("a"), UniqueKey.of("k"))),
        REPLACE((rowlock, sql) -> rowlock.jobs()
                .enqueueUnique(new Work("a"), UniqueKey.of("k").untilStarted().replacing())),
        WORKFLOW((rowlock, sql) -> rowlock.workflows().start(Workflow.named("w").step("s", new Work("a")))),
        RECURRING_JOB_BY_HAND((rowlock, sql) -> rowlock.recurringJobs().runNow("nightly")),
        BULK_ACTION((rowlock, sql) -> rowlock.admin().cancel(JobFilter.where().queue("mail"))),
        SLOW_DOWN((rowlock, sql) -> rowlock.limits().slowDown("limited", null, Duration.ofMinutes(1))),
        SQL((rowlock, sql) -> call(sql, "enqueue('work', '{}')")),
        SQL_WITH_A_KEY((rowlock, sql) -> call(sql, "enqueue_with_key('work', '{}', 'tenant')")),
        SQL_UNIQUE((rowlock, sql) -> call(sql, "enqueue_unique('work', '{}', 'k')")),
        SQL_UNIQUE_WITH_A_KEY((rowlock, sql) -> call(sql, "enqueue_unique_with_key('work', '{}', 'k', 'tenant')"));

        private final BiConsumer<Rowlock, JdbcClient> call;

        First(BiConsumer<Rowlock, JdbcClient> call) {
            this.call = call;
        }

        private static void call(JdbcClient sql, String function) {
            sql.sql("SELECT rowlock." + function + "::text").query(String.class).single();
        }
    }

    private final Rowlocks rowlocks = new Rowlocks();
    private final TestDatabase database;
    private final JdbcClient sql;

    NumbersAfterRecoveryTest(TestDatabase database) {
        this.database = database;
        this.sql = JdbcClient.create(database.dataSource());
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @ParameterizedTest
    @EnumSource
    void theFirstThatDrawsANumberMovesThemOn(First first) {
        Rowlock before = rowlock();
        before.jobs().enqueue(new Work("before"));
        before.recurringJobs()
                .create(RecurringJob.of("nightly", Schedule.every(Duration.ofDays(300)), new Work("n"))
                        .overlap(Overlap.ALLOW));
        before.limits().set(QueueLimit.of("limited").rate(Rate.perSecond(10)));
        sql.sql("TRUNCATE rowlock.numbering").update(); // as the server does when it recovers

        first.call.accept(rowlock(), sql);

        assertThat(sql.sql("SELECT count(*) FROM rowlock.numbering")
                        .query(Integer.class)
                        .single())
                .isOne();
        String drawn = first == First.SLOW_DOWN
                ? "SELECT max(number) FROM rowlock.rate_state"
                : "SELECT last_value FROM rowlock.job_id WHERE is_called";
        assertThat(sql.sql(drawn).query(Long.class).single()).isGreaterThan(FAR);
        assertThat(sql.sql("SELECT coalesce(min(id), %d) FROM rowlock.job_details WHERE id > 1".formatted(FAR))
                        .query(Long.class)
                        .single())
                .isGreaterThanOrEqualTo(FAR);
    }

    /** After a recovery all nodes wait for the one that moves them on. */
    @Test
    void aSessionThatWaitedForAnotherInVainHoldsUpNobody() throws SQLException {
        String lock = "(hashtextextended('rowlock numbering \"rowlock\"', 0))";
        sql.sql("TRUNCATE rowlock.numbering").update();
        try (Connection moving = database.unpooled().getConnection();
                Connection waiting = database.unpooled().getConnection()) {
            moving.createStatement().execute("SELECT pg_advisory_lock" + lock);
            waiting.createStatement().execute("SET statement_timeout = '50ms'");
            assertThatThrownBy(() -> waiting.createStatement().execute("SELECT rowlock.skip_lost_numbers()"))
                    .hasMessageContaining("statement timeout");
            moving.createStatement().execute("SELECT pg_advisory_unlock" + lock);

            assertThat(sql.sql("SELECT pg_try_advisory_xact_lock" + lock)
                            .query(Boolean.class)
                            .single())
                    .isTrue();
        }
    }

    private Rowlock rowlock() {
        return rowlocks.built(Rowlocks.quick(database.dataSource()).enqueueOnly());
    }
}
