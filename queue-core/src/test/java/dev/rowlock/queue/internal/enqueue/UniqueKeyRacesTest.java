package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs.Placed;
import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two requests want a key at the same time, and one does not see all that the other did. */
@PostgresTest(migrated = true)
@Representative
class UniqueKeyRacesTest {

    private static final UniqueKey KEY = UniqueKey.of("order-42");

    private final Rooms rooms;

    UniqueKeyRacesTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
    }

    // Who waits

    @Test
    void aRequestThatWaitsForTheHoldersTransactionGetsItsJobOnceItCommits() throws Exception {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            Placed theirs = enqueue(other.database());

            Placed ours = enqueueBehind(other, OpenTransaction::commit);

            assertThat(ours).isEqualTo(new Placed(theirs.id(), false));
            assertThat(rooms.count("ready")).isEqualTo(1);
        }
    }

    @Test
    void aRequestThatWaitsForTheHoldersTransactionTakesTheKeyOnceItRollsBack() throws Exception {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            Placed theirs = enqueue(other.database());

            Placed ours = enqueueBehind(other, OpenTransaction::rollback);

            assertThat(ours.created()).isTrue();
            assertThat(ours.id()).isNotEqualTo(theirs.id());
            assertThat(rooms.count("ready")).isEqualTo(1);
        }
    }

    @Test
    void aRequestThatWaitsForATransactionThatTakesOverAFreeKeyGetsItsJobOnceItCommits() throws Exception {
        rooms.complete(rooms.running(KEY), true);
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            Placed theirs = enqueue(other.database());

            Placed ours = enqueueBehind(other, OpenTransaction::commit);

            assertThat(ours).isEqualTo(new Placed(theirs.id(), false));
            assertThat(rooms.count("ready")).isEqualTo(1);
        }
    }

    @Test
    void aRequestThatWaitsForTheJanitorToRemoveAFreeKeyTakesIt() throws Exception {
        rooms.complete(rooms.running(KEY), true);
        try (OpenTransaction janitor = new OpenTransaction(rooms.database())) {
            new Leftovers(janitor.database()).freeKeys(Leftovers.FIRST_KEY, 10);

            Placed ours = enqueueBehind(janitor, OpenTransaction::commit);

            assertThat(ours.created()).isTrue();
            assertThat(rooms.roomsOf(ours.id())).containsExactly("ready");
            assertThat(rooms.unique(KEY)).isEqualTo(new Placed(ours.id(), false));
        }
    }

    @Test
    void batchesThatTakeTheSameKeysInAnotherOrderDoNotDeadlock() throws Exception {
        List<NewJob> up = IntStream.range(0, 500)
                .mapToObj(i -> Rooms.job(UniqueKey.of("%03d".formatted(i)), null))
                .toList();
        List<NewJob> down = IntStream.range(0, 500)
                .mapToObj(i -> Rooms.job(UniqueKey.of("%03d".formatted(499 - i)), null))
                .toList();

        for (int round = 0; round < 10; round++) {
            rooms.clear();
            CompletableFuture<List<Placed>> one = CompletableFuture.supplyAsync(() -> rooms.unique(up));
            CompletableFuture<List<Placed>> other = CompletableFuture.supplyAsync(() -> rooms.unique(down));

            assertThat(one.get().stream().map(Placed::id))
                    .containsExactlyInAnyOrderElementsOf(
                            other.get().stream().map(Placed::id).toList());
            assertThat(rooms.count("ready")).isEqualTo(500);
        }
    }

    // Who sees one snapshot only

    @Test
    void aTransactionWithOneSnapshotFailsToSerializeWhereItCannotSeeTheHolder() throws Exception {
        try (Connection connection = snapshot(Connection.TRANSACTION_REPEATABLE_READ)) {
            rooms.unique(KEY);

            assertThatThrownBy(() -> new EnqueueUniqueJobs(rooms.database().schema())
                            .run(connection, List.of(Rooms.job(KEY, null))))
                    .hasMessageContaining("could not serialize access");
            connection.rollback();
        }
        assertThat(rooms.count("ready")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void aTransactionWithOneSnapshotTakesFreeKeysAndFindsHeldOnes(int isolation) throws Exception {
        UniqueKey free = UniqueKey.of("free");
        rooms.complete(rooms.running(free), false);
        long holder = rooms.unique(KEY).id();

        List<Placed> placed;
        try (Connection connection = snapshot(isolation)) {
            placed = new EnqueueUniqueJobs(rooms.database().schema())
                    .run(
                            connection,
                            List.of(Rooms.job(KEY, null), Rooms.job(free, null), Rooms.job(UniqueKey.of("new"), null)));
            connection.commit();
        }

        assertThat(placed).extracting(Placed::created).containsExactly(false, true, true);
        assertThat(placed.get(0).id()).isEqualTo(holder);
    }

    /** Asks for the key, waits behind the other transaction, lets that end, and returns the answer. */
    private Placed enqueueBehind(OpenTransaction other, ThrowingConsumer<OpenTransaction> end) throws Exception {
        CompletableFuture<Placed> ours = CompletableFuture.supplyAsync(() -> enqueue(rooms.database()));
        rooms.awaitBlocked();
        end.accept(other);
        return ours.get();
    }

    private static Placed enqueue(Database database) {
        return database.alone(connection ->
                        new EnqueueUniqueJobs(database.schema()).run(connection, List.of(Rooms.job(KEY, null))))
                .get(0);
    }

    /** In a transaction whose snapshot is taken. */
    private Connection snapshot(int isolation) throws SQLException {
        Connection connection = rooms.database().dataSource().getConnection();
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        connection.createStatement().execute("SELECT 1");
        return connection;
    }
}
