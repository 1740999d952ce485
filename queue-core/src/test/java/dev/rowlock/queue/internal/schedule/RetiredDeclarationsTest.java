package dev.rowlock.queue.internal.schedule;

import static dev.rowlock.queue.internal.schedule.DeclaringNodes.HALF_HOURLY;
import static dev.rowlock.queue.internal.schedule.DeclaringNodes.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is declared by nobody any more. The database's clock begins at 10:00. */
@PostgresTest(migrated = true)
class RetiredDeclarationsTest {

    private static FrozenClock clock;

    private final DeclaringNodes nodes;

    RetiredDeclarationsTest(TestDatabase test) throws SQLException {
        clock = clock != null ? clock : new FrozenClock(test);
        nodes = new DeclaringNodes(test);
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    @Test
    void withoutItsCodeNothingIsEnqueued() {
        nodes.node(1, HOURLY).look().leave();
        clock.set("2026-11-22T11:00:00Z");

        nodes.node(2).look();

        assertThat(nodes.runs()).isEmpty();
        assertThat(nodes.details().retired()).isFalse();
    }

    @Test
    void whatNobodyDeclaresForAnHourIsRetired() {
        nodes.node(1, HOURLY).look().leave();
        DeclaringNodes.Node other = nodes.node(2);
        clock.set("2026-11-22T11:00:00Z");
        other.watch();
        assertThat(nodes.details().retired()).isFalse();

        clock.set("2026-11-22T11:00:00.001Z");
        other.look();
        assertThat(nodes.details().retired())
                .as("whoever declares it may be about to say so")
                .isFalse();
        other.watch();

        assertThat(nodes.details().retired()).isTrue();
        assertThat(nodes.details().next()).isEmpty();
        assertThat(nodes.sql
                        .sql("SELECT count(fire_at) FROM rowlock.schedule")
                        .query(int.class)
                        .single())
                .as("it does not stand in front of the index")
                .isZero();
    }

    /** While a run waits, each node looks for the end of the last job four times a second. */
    @Test
    void aRunThatWaitsGoesWithItsRecurringJobAndNoNodeLooksForItAnyMore() {
        nodes.node(1, HOURLY.overlap(Overlap.QUEUE_ONE)).look().leave();
        nodes.sql.sql("UPDATE rowlock.schedule SET queued_at = fire_at").update();
        DeclaringNodes.Node other = nodes.node(2);
        clock.set("2026-11-22T11:00:00.001Z");
        assertThat(other.scheduler.runOnce()).isLessThan(Duration.ofSeconds(1));

        other.look();
        other.watch();

        assertThat(nodes.details().retired()).isTrue();
        assertThat(other.scheduler.runOnce()).isGreaterThan(Duration.ofSeconds(1));
    }

    @Test
    void aClockThatStepsRetiresNothingThatIsDeclared() {
        DeclaringNodes.Node node = nodes.node(1, HOURLY).look();
        DeclaringNodes.Node other = nodes.node(2);
        clock.set("2026-12-24T11:00:00Z");
        other.look();

        node.declarations.runOnce();
        other.watch();

        assertThat(nodes.details().retired()).isFalse();
    }

    @Test
    void whatSomebodyDeclaresIsNotRetired() {
        DeclaringNodes.Node node = nodes.node(1, HOURLY).look();
        DeclaringNodes.Node other = nodes.node(2);
        for (int minutes = 0; minutes < 180; minutes += 10) {
            clock.advance(Duration.ofMinutes(10));
            node.declarations.runOnce();
            other.look();
        }

        assertThat(nodes.details().retired()).isFalse();
    }

    @Test
    void whatIsRetiredComesBackWithItsCodeAndItsMissedRun() {
        nodes.node(1, HOURLY).look().leave();
        clock.set("2026-11-22T13:10:00Z");
        nodes.node(2).watch();
        assertThat(nodes.details().retired()).isTrue();

        DeclaringNodes.Node back = nodes.node(3, HOURLY).look();

        assertThat(nodes.details().retired()).isFalse();
        assertThat(nodes.runs()).containsExactly("13:00");
        clock.set("2026-11-22T14:00:00Z");
        nodes.sql.sql("DELETE FROM rowlock.ready").update();
        back.look();
        assertThat(nodes.runs()).containsExactly("14:00");
    }

    @Test
    void aRetiredOneMayBeDeleted() {
        nodes.node(1, HOURLY).look().leave();
        assertThatThrownBy(() -> nodes.recurring.delete("hourly"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("declared by an application");
        clock.set("2026-11-22T13:10:00Z");
        nodes.node(2).watch();

        assertThat(nodes.recurring.delete("hourly")).isTrue();
        assertThat(nodes.recurring.list()).isEmpty();
    }

    @Test
    void aPauseOutlastsRestartsAndRetirement() {
        nodes.node(1, HOURLY).look().leave();
        nodes.recurring.pause("hourly");
        clock.set("2026-11-22T13:10:00Z");
        nodes.node(2).watch();

        nodes.node(3, HOURLY).look();
        clock.set("2026-11-22T14:00:00Z");
        nodes.node(4, HALF_HOURLY).look();

        assertThat(nodes.details().paused()).isTrue();
        assertThat(nodes.runs()).isEmpty();
    }
}
