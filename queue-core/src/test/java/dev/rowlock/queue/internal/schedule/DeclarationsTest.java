package dev.rowlock.queue.internal.schedule;

import static dev.rowlock.queue.internal.schedule.DeclaringNodes.HALF_HOURLY;
import static dev.rowlock.queue.internal.schedule.DeclaringNodes.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.schedule.DeclaringNodes.Report;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What applications declare, on one node or several. The database's clock begins at 10:00. */
@PostgresTest(migrated = true)
class DeclarationsTest {

    private static FrozenClock clock;

    private final TestDatabase test;
    private final DeclaringNodes nodes;

    DeclarationsTest(TestDatabase test) throws SQLException {
        clock = clock != null ? clock : new FrozenClock(test);
        this.test = test;
        nodes = new DeclaringNodes(test);
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    @Test
    void whatIsDeclaredComesAtItsTime() {
        DeclaringNodes.Node node = nodes.node(1, HOURLY).look();

        clock.set("2026-11-22T11:00:00Z");
        node.look();

        assertThat(nodes.runs()).containsExactly("11:00");
        assertThat(nodes.details().declared()).isTrue();
    }

    @Test
    void aRestartChangesNothing() {
        DeclaringNodes.Node first = nodes.node(1, HOURLY).look();
        clock.set("2026-11-22T11:30:00Z");
        first.leave();

        nodes.node(2, HOURLY).look();

        assertThat(nodes.runs()).as("the run that was missed meanwhile").containsExactly("11:00");
    }

    @Test
    void aNodeThatHoldsARowHoldsUpNoOtherDeclarations() {
        RecurringJob other = RecurringJob.of("other", HOURLY.schedule(), new Report("stock"));
        nodes.node(1, HOURLY).look();

        new TransactionTemplate(new DataSourceTransactionManager(test.dataSource())).executeWithoutResult(status -> {
            nodes.recurring.pause("hourly");
            Duration rest = CompletableFuture.supplyAsync(
                            () -> nodes.node(2, HALF_HOURLY, other).declarations.runOnce())
                    .join();
            assertThat(rest).isLessThanOrEqualTo(Duration.ofSeconds(1));
        });

        assertThat(nodes.recurring.find("other")).isPresent();
        assertThat(nodes.details().schedule()).isEqualTo(HOURLY.schedule());
    }

    @Test
    void whatWasMadeAtRunTimeIsNotReplacedByADeclaration() {
        nodes.recurring.create(HOURLY);

        nodes.node(1, HALF_HOURLY).look();

        assertThat(nodes.details().declared()).isFalse();
        assertThat(nodes.details().schedule()).isEqualTo(HOURLY.schedule());
    }

    @Test
    void aNodeDeclaresNothingBeforeItHasItsLease() {
        Declarations early = new Declarations(
                nodes.database,
                Map.of("hourly", nodes.rows().apply(HOURLY)),
                () -> 0,
                new AtomicLong(),
                () -> 0,
                nodes.wakeups::attention);

        assertThat(early.runOnce()).isLessThan(Duration.ofMillis(100));
        assertThat(nodes.recurring.list()).isEmpty();
    }

    @Test
    void nodesAreToldOfWhatIsNew() {
        DeclaringNodes.Node node = nodes.node(1, HOURLY).look();
        assertThat(nodes.wakeups.heard()).containsExactly("attention");

        node.look();

        assertThat(nodes.wakeups.heard()).as("nothing is new").containsExactly("attention");
    }

    @Test
    void oneThatTheServerRefusesKeepsNoOthers() {
        RecurringJob after = RecurringJob.of("zebra", HOURLY.schedule(), new Report("stock"));
        nodes.sql
                .sql("ALTER TABLE rowlock.schedule ADD CONSTRAINT no_sales CHECK (payload ->> 'name' <> 'sales')")
                .update();
        try {
            nodes.node(1, HOURLY, after).look();
        } finally {
            nodes.sql
                    .sql("ALTER TABLE rowlock.schedule DROP CONSTRAINT no_sales")
                    .update();
        }

        assertThat(nodes.recurring.list()).extracting(RecurringJobDetails::name).containsExactly("zebra");
    }

    @Test
    void twoOfOneNameAreRefused() {
        assertThatThrownBy(() ->
                        new ScheduleFeature(nodes.database, nodes.wakeups, List.of(HOURLY, HALF_HOURLY), nodes.rows()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two recurring jobs have the name 'hourly'");
    }

    @Test
    void aPayloadThatCannotBeEnqueuedIsRefused() {
        assertThatThrownBy(() -> new ScheduleFeature(
                        nodes.database,
                        nodes.wakeups,
                        List.of(HOURLY.payload(new Report("x".repeat(2 << 20)))),
                        nodes.rows()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("recurring job 'hourly'");
    }
}
