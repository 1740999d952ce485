package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.search.BoundedSearch;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.search.SearchTimeoutException;
import dev.rowlock.queue.search.SearchesBusyException;
import dev.rowlock.queue.search.TimeStep;
import dev.rowlock.queue.settings.SearchSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Searches never hurt the queue, nor the transaction in which somebody searches. */
@PostgresTest(migrated = true)
class JobSearchLimitsTest {

    private static final SearchSettings SHORT = new SearchSettings(Duration.ofMillis(100));
    private static final String SETTINGS =
            "SELECT concat_ws(' ', current_setting('statement_timeout'), current_setting('transaction_read_only'),"
                    + " current_setting('max_parallel_workers_per_gather'), current_setting('jit'))";

    private final Rooms rooms;
    private final JobSearch search;
    private final TransactionTemplate transaction;

    JobSearchLimitsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database(), SHORT);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
    }

    static Stream<Named<Consumer<JobSearch>>> searches() {
        Instant today = Instant.now();
        return Stream.of(
                Named.of("find", search -> search.find(JobFilter.all(), Page.first(10))),
                Named.of("count", search -> search.count(JobFilter.all(), 10)),
                Named.of("deadByError", search -> search.deadByError(JobFilter.all(), GroupPage.first(10))),
                Named.of(
                        "ended",
                        search ->
                                search.ended(JobFilter.where().ended(today.minusSeconds(60), today), TimeStep.MINUTE)),
                Named.of("counts", JobSearch::counts));
    }

    @ParameterizedTest
    @MethodSource("searches")
    void noSearchTakesLongerThanItsLimitAndTheErrorSaysWhatToDo(Consumer<JobSearch> any) throws Exception {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            lock(other);

            assertThatThrownBy(() -> any.accept(search))
                    .isInstanceOf(SearchTimeoutException.class)
                    .hasMessageContaining("took longer than 100 ms")
                    .hasMessageContaining("narrow it by states, queue, type or a range of times")
                    .hasMessageContaining("rowlock.search.time-limit");
        }
    }

    /** So whoever searches, however often, leaves the pool's connections and the server's processors to jobs. */
    @Test
    void fewSearchesRunAtOnceAndOthersAreToldAfterAMoment() throws Exception {
        JobSearch patient = new JobSearch(rooms.database(), new SearchSettings(Duration.ofSeconds(25)));
        ExecutorService people = Executors.newFixedThreadPool(2);
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            lock(other);
            List<Future<?>> slow =
                    List.of(people.submit(() -> patient.counts()), people.submit(() -> patient.counts()));
            await().atMost(Duration.ofMinutes(1)).until(() -> waiting() == 2);

            assertThatThrownBy(() -> patient.find(JobFilter.all(), Page.first(10)))
                    .isInstanceOf(SearchesBusyException.class)
                    .hasMessageContaining("searches are busy");
            assertThat(waiting()).isEqualTo(2);

            other.commit();
            for (Future<?> each : slow) {
                each.get(1, TimeUnit.MINUTES);
            }
            assertThat(patient.find(JobFilter.all(), Page.first(10)).jobs()).isEmpty();
        } finally {
            people.shutdownNow();
        }
    }

    private long waiting() {
        return rooms.number(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
    }

    @Test
    void theLimitIsASettingOfTheQueue() throws Exception {
        try (OpenTransaction other = new OpenTransaction(rooms.database());
                Rowlock rowlock = Rowlock.builder(rooms.database().dataSource())
                        .search(new SearchSettings(Duration.ofMillis(50)))
                        .build()) {
            lock(other);

            assertThatThrownBy(() -> rowlock.search().counts())
                    .isInstanceOf(SearchTimeoutException.class)
                    .hasMessageContaining("50 ms");
        }
    }

    @Test
    void aBroadSearchIsStoppedWhileItReads() {
        rooms.fill(20_000, rooms.node());
        JobSearch hasty = new JobSearch(rooms.database(), new SearchSettings(Duration.ofMillis(10)));
        JobFilter broad = JobFilter.where().payload("$.** ? (@.a like_regex \"(x+x+)+y\")");

        assertThatThrownBy(() -> hasty.count(broad, 1_000))
                .isInstanceOf(SearchTimeoutException.class)
                .hasMessageContaining("payload=");
    }

    @Test
    void aSearchThatTakesTooLongLeavesTheCallersTransactionAsItWas() throws Exception {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            lock(other);

            transaction.executeWithoutResult(status -> {
                String before = settings();
                assertThatThrownBy(() -> search.counts()).isInstanceOf(SearchTimeoutException.class);
                assertThat(settings()).isEqualTo(before);
                rooms.execute("INSERT INTO rowlock.chore (name, taken_at, due_at) VALUES ('kept', now(), now())");
            });
        }

        assertThat(rooms.number("SELECT count(*) FROM rowlock.chore")).isEqualTo(1);
    }

    @Test
    void aSearchSeesWhatTheCallersTransactionSeesAndTakesItsSettingsBack() {
        transaction.executeWithoutResult(status -> {
            String before = settings();
            rooms.execute("INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload)"
                    + " VALUES (7, now(), now(), 0, 'mail', 'send', '{}')");

            assertThat(search.find(JobFilter.where().states(JobState.READY), Page.first(10))
                            .jobs())
                    .hasSize(1);
            assertThat(settings()).isEqualTo(before);
            status.setRollbackOnly();
        });

        assertThat(search.count(JobFilter.all(), 10).jobs()).isZero();
    }

    @Test
    void aSearchOnlyReadsAndTakesOneProcessor() {
        assertThat(within(Duration.ofSeconds(3))).isEqualTo("3s on 0 off");
    }

    @Test
    void aShorterLimitOfTheCallersOwnHolds() {
        transaction.executeWithoutResult(status -> {
            rooms.sql("SELECT set_config('statement_timeout', '700ms', true)")
                    .query(String.class)
                    .single();

            assertThat(within(Duration.ofSeconds(3))).startsWith("700ms ");
            assertThat(within(Duration.ofMillis(200))).startsWith("200ms ");
        });
    }

    @Test
    void aLimitMustLetSearchesEndBeforeTheirConnectionCountsAsBroken() {
        assertThatThrownBy(() -> new SearchSettings(Duration.ofSeconds(26)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("26s")
                .hasMessageContaining("between 10 ms and 25 s");
        assertThatThrownBy(() -> new SearchSettings(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    private String within(Duration limit) {
        return new BoundedSearch(rooms.database(), limit).run("settings", JobSearchLimitsTest::settings);
    }

    private String settings() {
        return rooms.sql(SETTINGS).query(String.class).single();
    }

    private static String settings(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(SETTINGS)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static void lock(OpenTransaction other) {
        other.database().alone(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute("LOCK TABLE rowlock.dead, rowlock.done IN ACCESS EXCLUSIVE MODE");
            }
        });
    }
}
