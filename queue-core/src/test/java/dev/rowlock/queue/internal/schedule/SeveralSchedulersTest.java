package dev.rowlock.queue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Nodes that look at the same time, and recurring jobs that must not hold up others. */
class SeveralSchedulersTest extends SchedulingTest {

    SeveralSchedulersTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void ofManyNodesThatLookAtOnceOneBringsTheJob() {
        IntStream.range(0, 20)
                .forEach(i -> recurring.create(RecurringJob.of("job-" + i, Schedule.every(HOUR), new Report("r" + i))));
        List<Scheduler> nodes = IntStream.range(0, 6).mapToObj(i -> scheduler()).toList();
        clock.set("2026-11-22T11:00:00Z");

        CompletableFuture<?>[] looks = nodes.stream()
                .map(node ->
                        CompletableFuture.runAsync(() -> IntStream.range(0, 5).forEach(i -> node.runOnce())))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(looks).join();
        scheduler.runOnce();

        assertThat(runs()).hasSize(20);
    }

    @Test
    void whoLooksAtAnOldStateChangesNothing() {
        recurring.create(hourly());
        clock.set("2026-11-22T11:00:00Z");
        FireSchedules fire = new FireSchedules(database);
        var look = fire.look(Set.of(), Set.of(), 10);
        scheduler.runOnce();

        var late = fire.run(List.of(Runs.due(look.due().get(0), look.now())));

        assertThat(late).isEmpty();
        assertThat(runs()).hasSize(1);
    }

    @Test
    void aRowThatSomebodyIsChangingHoldsUpNobody() {
        recurring.create(hourly());
        recurring.create(RecurringJob.of("other", Schedule.every(HOUR), new Report("other")));
        clock.set("2026-11-22T11:00:00Z");

        new TransactionTemplate(new DataSourceTransactionManager(test.dataSource())).executeWithoutResult(status -> {
            recurring.pause("hourly");
            assertThat(CompletableFuture.supplyAsync(() -> scheduler.runOnce()).join())
                    .isZero();
            assertThat(CompletableFuture.supplyAsync(() -> scheduler.runOnce()).join())
                    .isPositive();
            status.setRollbackOnly();
        });

        assertThat(runs()).hasSize(1);
        scheduler.runOnce();
        assertThat(runs()).hasSize(2);
    }

    @Test
    void oneThatTheServerRefusesHoldsUpNoOthers() {
        recurring.create(hourly());
        recurring.create(RecurringJob.of("other", Schedule.every(HOUR), new Report("other")));
        sql.sql("ALTER TABLE rowlock.ready ADD CONSTRAINT no_sales CHECK (payload ->> 'name' <> 'sales')")
                .update();
        try {
            clock.set("2026-11-22T11:00:00Z");
            scheduler.runOnce();
            scheduler.runOnce();
            assertThat(runs()).hasSize(1);
        } finally {
            sql.sql("ALTER TABLE rowlock.ready DROP CONSTRAINT no_sales").update();
        }
        scheduler().runOnce();

        assertThat(runs()).as("it stays due").hasSize(2);
    }

    /** As a later version may have written it. */
    @Test
    void aWordThatThisVersionDoesNotKnowHoldsUpNoOthers() {
        recurring.create(hourly());
        recurring.create(RecurringJob.of("other", Schedule.every(HOUR), new Report("other")));
        sql.sql("ALTER TABLE rowlock.schedule DROP CONSTRAINT schedule_overlap_check")
                .update();
        sql.sql("UPDATE rowlock.schedule SET overlap = 'queue_two' WHERE name = 'hourly'")
                .update();

        assertThat(runsAt("11:00:00")).hasSize(1);
    }

    @Test
    void oneThatCannotBeReadHoldsUpNoOthers() {
        recurring.create(hourly());
        recurring.create(RecurringJob.of("other", Schedule.every(HOUR), new Report("other")));
        sql.sql(
                        "UPDATE rowlock.schedule SET cron = 'whenever', zone = 'UTC', every_millis = NULL WHERE name = 'hourly'")
                .update();

        assertThat(runsAt("11:00:00")).hasSize(1);
    }
}
