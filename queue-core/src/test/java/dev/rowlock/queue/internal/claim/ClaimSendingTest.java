package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** How long a server waits for a client to read what a claim brings. */
@PostgresTest(migrated = true)
class ClaimSendingTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final long node;
    private final boolean onLinux;

    ClaimSendingTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        node = rooms.node();
        onLinux = rooms.truth("SELECT version() LIKE '%linux%'");
    }

    @BeforeEach
    void enqueue() {
        rooms.ready(1);
    }

    /** What to claim with, and by which node. */
    static Stream<BiConsumer<Database, Long>> claims() {
        return Stream.of(
                (database, node) -> new ClaimReadyJobs(database).run(QUEUE, QueueRange.ALL, 1, node, null),
                (database, node) -> new ClaimReadyJobs(database).run(QUEUE, QueueRange.ALL, 200, node, null),
                (database, node) -> new ClaimReadyJobs(database).named(QUEUE, List.of(1L), 1_000, node, null),
                (database, node) -> new ClaimKeyedJobs(database, Duration.ZERO)
                        .run(QUEUE, Look.FIRST, 200, 1_000, Which.ALL, node, null));
    }

    @ParameterizedTest
    @MethodSource("claims")
    void theServerWaitsTenSeconds(BiConsumer<Database, Long> claim) throws SQLException {
        try (OpenTransaction open = new OpenTransaction(rooms.database())) {
            claim.accept(open.database(), node);
            assertThat(setting(open)).isEqualTo(onLinux ? "10000" : "0");

            open.rollback();
            assertThat(setting(open)).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @MethodSource("claims")
    void aTimeThatIsSetAlreadyHolds(BiConsumer<Database, Long> claim) throws SQLException {
        Database unpooled = new Database(test.unpooled(), rooms.database().schema());
        try (OpenTransaction open = new OpenTransaction(unpooled)) {
            JdbcClient.create(open.database().dataSource())
                    .sql("SET tcp_user_timeout = '20s'")
                    .update();
            open.commit();

            claim.accept(open.database(), node);

            assertThat(setting(open)).isEqualTo(onLinux ? "20000" : "0");
        }
    }

    private static String setting(OpenTransaction open) {
        return JdbcClient.create(open.database().dataSource())
                .sql("SHOW tcp_user_timeout")
                .query(String.class)
                .single();
    }
}
