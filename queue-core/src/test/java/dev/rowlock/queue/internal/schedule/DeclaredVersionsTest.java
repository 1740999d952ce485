package dev.rowlock.queue.internal.schedule;

import static dev.rowlock.queue.internal.schedule.DeclaringNodes.HALF_HOURLY;
import static dev.rowlock.queue.internal.schedule.DeclaringNodes.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.schedule.DeclaringNodes.Report;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which of several versions of an application decides. The database's clock begins at 10:00. */
@PostgresTest(migrated = true)
class DeclaredVersionsTest {

    private static FrozenClock clock;

    private final DeclaringNodes nodes;

    DeclaredVersionsTest(TestDatabase test) throws SQLException {
        clock = clock != null ? clock : new FrozenClock(test);
        nodes = new DeclaringNodes(test);
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    @Test
    void aNodeThatLostItsLeaseDoesNotCountAsStartedAnew() {
        DeclaringNodes.Node old = nodes.node(1, HOURLY).look();
        nodes.node(2, HALF_HOURLY).look();

        old.registerAnew(3);
        old.look();

        assertThat(nodes.details().schedule()).isEqualTo(HALF_HOURLY.schedule());
    }

    @Test
    void theVersionThatStartedLastDecidesAlsoAfterItLostItsLease() {
        DeclaringNodes.Node old = nodes.node(1, HOURLY).look();
        DeclaringNodes.Node fresh = nodes.node(2, HALF_HOURLY).look();

        fresh.registerAnew(3);
        old.look();
        fresh.look();
        old.look();

        assertThat(nodes.details().schedule()).isEqualTo(HALF_HOURLY.schedule());
    }

    @Test
    void theVersionThatStartedLastDecides() {
        DeclaringNodes.Node old = nodes.node(1, HOURLY).look();
        DeclaringNodes.Node fresh = nodes.node(2, HALF_HOURLY).look();

        old.look();
        fresh.look();

        assertThat(nodes.details().schedule()).isEqualTo(HALF_HOURLY.schedule());
        assertThat(nodes.details().next().get(0)).isEqualTo(Instant.parse("2026-11-22T10:30:00Z"));
        clock.set("2026-11-22T10:30:00Z");
        old.look();
        assertThat(nodes.runs()).as("as the row says, whoever looks").containsExactly("10:30");
    }

    @Test
    void aNewVersionDecidesOnceTheOldOneThatStartedLaterHasLeft() {
        DeclaringNodes.Node fresh = nodes.node(1, HALF_HOURLY).look();
        DeclaringNodes.Node oldAfterACrash = nodes.node(2, HOURLY).look();
        fresh.look();
        assertThat(nodes.details().schedule()).isEqualTo(HOURLY.schedule());

        oldAfterACrash.leave();
        fresh.look();

        assertThat(nodes.details().schedule()).isEqualTo(HALF_HOURLY.schedule());
    }

    @Test
    void theNewestLivingVersionDecidesWhoeverWroteIt() {
        DeclaringNodes.Node old = nodes.node(1, HOURLY).look();
        DeclaringNodes.Node fresh = nodes.node(2, HALF_HOURLY).look();
        DeclaringNodes.Node alsoFresh = nodes.node(3, HALF_HOURLY).look();

        alsoFresh.leave();
        old.look();
        fresh.look();
        old.look();

        assertThat(nodes.details().schedule()).isEqualTo(HALF_HOURLY.schedule());
    }

    @Test
    void nothingIsEnqueuedBeforeANewVersionIsWritten() {
        nodes.node(1, HOURLY).look().leave();
        clock.set("2026-11-22T11:00:30Z");
        DeclaringNodes.Node fresh = nodes.node(2, HOURLY.payload(new Report("stock")));

        fresh.scheduler.runOnce();
        assertThat(nodes.runs()).isEmpty();
        fresh.look();

        assertThat(nodes.runs()).containsExactly("11:00");
    }

    @Test
    void aRunThatIsDueStaysDueWhereOnlyThePayloadChanges() {
        nodes.node(1, HOURLY).look().leave();
        clock.set("2026-11-22T11:00:30Z");

        nodes.node(2, HOURLY.payload(new Report("stock"))).look();

        assertThat(nodes.runs()).containsExactly("11:00");
        assertThat(nodes.sql
                        .sql("SELECT payload ->> 'name' FROM rowlock.ready")
                        .query(String.class)
                        .single())
                .isEqualTo("stock");
    }
}
