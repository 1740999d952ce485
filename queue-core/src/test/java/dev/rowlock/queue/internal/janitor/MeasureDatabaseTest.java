package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.DatabaseFigure;
import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class MeasureDatabaseTest {

    private final Rooms rooms;
    private final Measurements measure;
    private final Measurements seesOthers;
    private final JobSearch search;

    MeasureDatabaseTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        measure = new Measurements(rooms.database());
        seesOthers = new Measurements(
                new Database(database.superuser(), rooms.database().schema()));
        search = FrontDoors.search(rooms.database());
    }

    @Test
    void whoHoldsBackVacuumIsCountedInTransactions() throws Exception {
        seesOthers.database();
        double before = figure("horizon.transactions", "transaction");

        try (OpenTransaction held = new OpenTransaction(rooms.database())) {
            new Rooms(held.database()).ready();
            for (int i = 0; i < 20; i++) {
                rooms.ready();
            }
            seesOthers.database();

            assertThat(figure("horizon.transactions", "transaction")).isGreaterThanOrEqualTo(20);
            assertThat(figure("transaction.age", "")).isPositive();
        }
        assertThat(before).isLessThan(20);
        assertThat(figures().keySet())
                .contains("horizon.transactions/prepared", "horizon.transactions/slot", "horizon.transactions/standby");
    }

    @Test
    void partitionsCountAsTheirTable() {
        measure.database();

        assertThat(figure("table.size", "done")).isPositive();
        assertThat(figures().keySet()).noneMatch(name -> name.matches(".*done_\\d.*"));
        assertThat(figures()).containsKeys("dead.rows/ready", "table.size/ready", "notification.usage/");
    }

    @Test
    void aFigureThatCannotBeMeasuredAnyMoreGoes() {
        rooms.execute("INSERT INTO rowlock.figure VALUES ('table.size', 'former', 1, now())");

        measure.database();

        assertThat(figures()).doesNotContainKey("table.size/former");
    }

    @Test
    void aRoleThatMayNotSeeOthersSessionsLeavesOutWhatTheyHold() {
        seesOthers.database();
        assertThat(figures()).containsKeys("horizon.transactions/transaction", "transaction.age/");

        measure.database();

        assertThat(figures())
                .containsKeys("horizon.transactions/prepared", "horizon.transactions/slot", "table.size/ready")
                .doesNotContainKeys(
                        "horizon.transactions/transaction", "horizon.transactions/standby", "transaction.age/");
    }

    @Test
    void itWaitsForNobodyWhoHasLockedATableByHand() throws Exception {
        try (OpenTransaction locking = new OpenTransaction(rooms.database())) {
            new Rooms(locking.database()).execute("LOCK TABLE rowlock.ready IN ACCESS EXCLUSIVE MODE");

            assertThatThrownBy(measure::database).hasMessageContaining("lock timeout");
        }
        measure.database();
    }

    @Test
    void theClocksOfTheSameMachineAgree() {
        assertThat(search.clockDifference().abs()).isLessThan(Duration.ofSeconds(1));
    }

    private double figure(String name, String detail) {
        return figures().get(name + "/" + detail);
    }

    private Map<String, Double> figures() {
        List<DatabaseFigure> all = search.databaseFigures();
        return all.stream()
                .collect(Collectors.toMap(figure -> figure.name() + "/" + figure.detail(), DatabaseFigure::value));
    }
}
