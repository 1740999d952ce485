package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Outcomes that the database does not accept, with whatever error: they hold up no other outcome. */
@PostgresTest(freshPerTest = true, migrated = true)
class UnwritableOutcomesTest extends NodeTest {

    record Order(int number) {}

    record Bad(int number) {}

    private static final int BAD = 7;

    private Rooms rooms;

    @BeforeEach
    void look(TestDatabase database) {
        rooms = Rooms.in(database.dataSource(), new Schema("rowlock"));
    }

    /** Refuses the bad job's row in a room, with this SQLSTATE. */
    private void refuse(String room, String state) {
        refuse(room, state, "new.payload::jsonb @> '{\"number\": %d}'".formatted(BAD));
    }

    /** Or the node's stop would try for as long as it may. */
    @AfterEach
    void refuseNothing() {
        List.of("done", "dead").forEach(room -> rooms.execute("DROP TRIGGER IF EXISTS refuse ON rowlock." + room));
    }

    private void refuse(String room, String state, String which) {
        rooms.execute("CREATE SEQUENCE IF NOT EXISTS refusals");
        rooms.execute("""
                CREATE FUNCTION refuse_%1$s() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM nextval('refusals'); RAISE EXCEPTION 'not this one' USING ERRCODE = '%2$s'; END $$
                """.formatted(room, state));
        rooms.execute("""
                CREATE TRIGGER refuse BEFORE INSERT ON rowlock.%1$s FOR EACH ROW WHEN (%2$s)
                EXECUTE FUNCTION refuse_%1$s()
                """.formatted(room, which));
    }

    private long[] run(int jobs) {
        long[] ids = node.jobs.enqueueAll(
                IntStream.range(0, jobs).mapToObj(Order::new).toList());
        node.start();
        return ids;
    }

    private void awaitAllButTheBad(long[] ids) {
        Arrays.stream(ids).filter(id -> id != ids[BAD]).forEach(id -> node.awaitState(id, JobState.COMPLETED));
    }

    @Test
    void anOutcomeThatIsRefusedKillsItsOwnJobOnly() {
        refuse("done", "P0001");
        node.listener(Order.class, (context, payload) -> null);

        long[] ids = run(50);

        awaitAllButTheBad(ids);
        node.awaitState(ids[BAD], JobState.DEAD);
        assertThat(node.search.find(ids[BAD]).orElseThrow().errors())
                .extracting(FailedAttempt::type, FailedAttempt::message)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(
                        "not-recorded", "the outcome 'completed' cannot be written: SQLSTATE P0001"));
        assertThat(node.events).contains("failed " + ids[BAD]);
    }

    @Test
    void anOutcomeThatCannotEvenBeBuriedIsSetAside() {
        refuse("done", "23514");
        refuse("dead", "23514");
        node.listener(Order.class, (context, payload) -> null);

        long[] ids = run(50);

        awaitAllButTheBad(ids);
        assertSetAside(ids[BAD]);
    }

    /** As if memory ran out over it, it took too long, it met a bug of the server, or privileges were lacking. */
    @ParameterizedTest
    @ValueSource(strings = {"53200", "57014", "XX000", "42501"})
    void anOutcomeThatFailsAsIfTheDatabaseWereToBlameIsSetAside(String state) {
        refuse("done", state);
        node.listener(Order.class, (context, payload) -> null);

        long[] ids = run(50);

        awaitAllButTheBad(ids);
        assertSetAside(ids[BAD]);
    }

    @Test
    void anOutcomeThatWasSetAsideIsRecordedOnceItCanBe() {
        refuse("done", "42501");
        node.listener(Order.class, (context, payload) -> "kept");
        long[] ids = run(20);
        Awaitility.await().until(() -> node.status().setAside() == 1);

        rooms.execute("DROP TRIGGER refuse ON rowlock.done");

        node.awaitState(ids[BAD], JobState.COMPLETED);
        node.awaitEvent("completed " + ids[BAD]);
        assertThat(node.search.find(ids[BAD]).orElseThrow().result()).isEqualTo("\"kept\"");
        Awaitility.await().until(() -> node.status().setAside() == 0);
    }

    /** Because memory has run out, somebody has locked it, or the error is refused as well. */
    @ParameterizedTest
    @ValueSource(strings = {"53200", "55P03", "23514"})
    void anOutcomeThatCannotBeRecordedOrBuriedIsKeptUntilItCan(String state) {
        refuse("done", "P0001");
        refuse("dead", state);
        node.listener(Order.class, (context, payload) -> "kept");
        long[] ids = run(20);
        awaitAllButTheBad(ids);

        // That of dead stays until then: a try whose outcome was refused just before would bury the job.
        rooms.execute("DROP TRIGGER refuse ON rowlock.done");

        node.awaitState(ids[BAD], JobState.COMPLETED);
        node.awaitEvent("completed " + ids[BAD]);
        assertThat(node.search.find(ids[BAD]).orElseThrow().result()).isEqualTo("\"kept\"");
    }

    @Test
    void anOutcomeThatWasSetAsideIsTriedOnceMoreAtTheStop() {
        refuse("done", "42501");
        node.listener(Order.class, (context, payload) -> null);
        long[] ids = run(20);
        Awaitility.await().until(() -> node.status().setAside() == 1);

        rooms.execute("DROP TRIGGER refuse ON rowlock.done");
        node.stop();

        assertThat(node.search.find(ids[BAD]).orElseThrow().state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void nothingIsBuriedOrSetAsideIfNothingCanBeRecorded() {
        refuse("done", "42501", "true");
        node.listener(Order.class, (context, payload) -> null);
        long[] ids = run(20);
        Awaitility.await().until(() -> !node.status().records());
        // As many tries as it takes until one stands alone, if halves were tried.
        Awaitility.await().until(() -> rooms.number("SELECT last_value FROM refusals") > 5);
        assertThat(node.status().setAside()).isZero();
        assertThat(rooms.count("dead")).isZero();

        rooms.execute("DROP TRIGGER refuse ON rowlock.done");

        Arrays.stream(ids).forEach(id -> node.awaitState(id, JobState.COMPLETED));
    }

    private static final int MEGABYTE = 1_000_000;

    /** So many results of a megabyte that they would fill what may be unwritten more than twice. */
    private static final int LARGE = 5 * (int) (OutcomeBacklog.MANY_RESULTS / MEGABYTE) / 2;

    private long[] runLarge() {
        String result = "x".repeat(MEGABYTE);
        node.listener(Order.class, (context, payload) -> number(payload) < LARGE ? result : null);
        return run(LARGE + 20);
    }

    private static int number(String payload) {
        return Integer.parseInt(payload.replaceAll("\\D", ""));
    }

    @Test
    void anyNumberOfUnwritableLargeResultsHoldsUpNoOtherJob() {
        refuse("done", "42501", "(new.payload::jsonb ->> 'number')::int < " + LARGE);

        long[] ids = runLarge();

        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> node.count("done") == 20);
        // The first ones have lost their results, so that there was room; the others keep theirs.
        Awaitility.await().until(() -> node.count("dead") > 0 && node.status().unwritten() == node.count("running"));
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(node.status().setAside()).isPositive().isLessThan(LARGE));
        rooms.execute("DROP TRIGGER refuse ON rowlock.done");
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> node.count("running") == 0);
        assertThat(node.count("done") + node.count("dead")).isEqualTo(ids.length);
        // Counted after the commit that empties running.
        Awaitility.await()
                .untilAsserted(() -> assertThat(node.status().unwritten()).isZero());
    }

    /** As where the disk is almost full. */
    @Test
    void noResultIsGivenUpWhileNoResultOfItsLengthCanBeWritten() {
        refuse("done", "53100", "length(new.result::text) > 500000");

        long[] ids = runLarge();

        Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .until(() -> node.status().setAside() > OutcomeBacklog.MANY_RESULTS / MEGABYTE);
        Awaitility.await().during(Duration.ofSeconds(1)).until(() -> node.count("dead") == 0);
        rooms.execute("DROP TRIGGER refuse ON rowlock.done");
        Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> node.count("done") == ids.length);
    }

    /** As where room is made between an outcome's try and the question whether its result is to blame; somebody else may take it again. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void noResultIsGivenUpThatCanBeWrittenByNow(int takenAgain) {
        rooms.execute("CREATE SEQUENCE freed");
        rooms.execute("CREATE SEQUENCE tried");
        rooms.execute("""
                CREATE FUNCTION refuse_done() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN
                    IF new.type = 'rowlock.probe' THEN
                        PERFORM nextval('freed');
                    ELSIF NOT (SELECT is_called FROM freed) OR nextval('tried') <= %d THEN
                        RAISE EXCEPTION 'no room' USING ERRCODE = '53100';
                    END IF;
                    RETURN new;
                END $$
                """.formatted(takenAgain));
        rooms.execute("""
                CREATE TRIGGER refuse BEFORE INSERT ON rowlock.done FOR EACH ROW WHEN (length(new.result::text) > 500000)
                EXECUTE FUNCTION refuse_done()
                """);

        long[] ids = runLarge();

        Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .until(() -> node.count("done") + node.count("dead") == ids.length);
        assertThat(node.count("dead")).isZero();
        assertThat(rooms.truth("SELECT is_called FROM freed")).isTrue();
    }

    /** One by one, they would pile up. Half of the outcomes come while some have been refused already. */
    @Test
    void outcomesOfOtherTypesAreWrittenTogetherAllTheSame() {
        node.listener(Order.class, (context, payload) -> null).listener(Bad.class, (context, payload) -> null);
        refuse("done", "0A000", "new.type = 'Bad'");
        rooms.execute("CREATE SEQUENCE statements");
        rooms.execute("""
                CREATE FUNCTION count_statement() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM nextval('statements'); RETURN NULL; END $$
                """);
        rooms.execute("CREATE TRIGGER counted AFTER INSERT ON rowlock.done EXECUTE FUNCTION count_statement()");
        node.start();

        for (int half = 1; half <= 2; half++) {
            node.jobs.enqueueAll(IntStream.range(0, 1_500)
                    .mapToObj(number -> number % 30 == 0 ? new Bad(number) : new Order(number))
                    .toList());
            int orders = half * 1_450;
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> node.count("done") == orders);
        }

        assertThat(rooms.number("SELECT last_value FROM statements")).isLessThan(600); // about 100; 2,800 one by one
        assertThat(node.status().unwritten()).isEqualTo(100);
    }

    /** As proxies and routers do that applications put before their pool. */
    @Test
    void aDataSourceThatThrowsAnyExceptionKillsNoJob(TestDatabase database) {
        AtomicInteger failures = new AtomicInteger(2);
        TestNode moody = new TestNode(database, new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (Thread.currentThread().getName().equals("rowlock-recorder") && failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("no tenant for this thread");
                }
                return super.getConnection();
            }
        });
        try (moody) {
            moody.listener(Order.class, (context, payload) -> null).start();

            long id = moody.jobs.enqueue(new Order(1));

            moody.awaitState(id, JobState.COMPLETED);
            assertThat(failures).hasNonPositiveValue();
        }
    }

    private void assertSetAside(long id) {
        Awaitility.await().until(() -> node.status().setAside() == 1);
        assertThat(node.search.find(id).orElseThrow().state()).isEqualTo(JobState.RUNNING);
        long later = node.jobs.enqueue(new Order(1000));
        node.awaitState(later, JobState.COMPLETED);
        assertThat(node.status().records()).isTrue();
    }
}
