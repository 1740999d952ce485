package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.search.BoundedSearch;
import dev.rowlock.queue.internal.search.CountJobs;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class DonePartitionsTest {

    private static final Duration WEEK = Duration.ofDays(7);

    private final Rooms rooms;
    private final EnsureDonePartitions ensure;
    private final DropDonePartitions drop;

    DonePartitionsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        ensure = new EnsureDonePartitions(rooms.database());
        drop = new DropDonePartitions(rooms.database(), Duration.ofMinutes(1), Duration.ofMinutes(1));
    }

    @Test
    void thereArePartitionsForTodayAndTheDaysToCome() {
        ensure.run(9);

        assertThat(partitions()).hasSize(10).isEqualTo(days(0, 9));
    }

    @Test
    void makingPartitionsAgainChangesNothing() {
        List<String> before = partitions();

        ensure.run(7);

        assertThat(partitions()).isEqualTo(before);
    }

    @Test
    void aMissingDayInBetweenIsMade() {
        rooms.execute("DROP TABLE rowlock." + days(3, 3).get(0));

        ensure.run(7);

        assertThat(partitions()).isEqualTo(days(0, 7));
    }

    @Test
    void aDetachedPartitionIsAttachedAgainWithWhatIsInIt() {
        String today = days(0, 0).get(0);
        rooms.complete(rooms.running(), true);
        rooms.execute("ALTER TABLE rowlock.done DETACH PARTITION rowlock." + today);

        ensure.run(7);

        assertThat(partitions()).isEqualTo(days(0, 7));
        assertThat(rooms.count("done")).isEqualTo(1);
    }

    @Test
    void aTableInTheWayOfOneDayIsNamedAndHoldsUpNoOtherDay() {
        String tomorrow = days(1, 1).get(0);
        rooms.execute("DROP TABLE rowlock." + tomorrow);
        rooms.execute("DROP TABLE rowlock." + days(2, 2).get(0));
        rooms.execute("CREATE TABLE rowlock." + tomorrow + " (note text)");

        assertThat(warningsOfEnsuring())
                .singleElement()
                .asString()
                .contains(tomorrow + " is not a partition of")
                .contains("rename it or drop it");
        assertThat(partitions()).containsExactlyInAnyOrderElementsOf(without(days(0, 7), tomorrow));

        rooms.execute("DROP TABLE rowlock." + tomorrow);
        ensure.run(7);
        assertThat(partitions()).isEqualTo(days(0, 7));
    }

    private List<String> warningsOfEnsuring() {
        return rooms.database().alone(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute("SELECT rowlock.ensure_done_partitions(7)");
                List<String> warnings = new ArrayList<>();
                for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
                    warnings.add(w.getMessage());
                }
                return warnings;
            }
        });
    }

    private static List<String> without(List<String> all, String one) {
        return all.stream().filter(each -> !each.equals(one)).toList();
    }

    @Test
    void aPartitionCompressesLikeTheOthers() {
        // One that every server knows stands for lz4, which not every server was built with.
        rooms.execute(
                "ALTER TABLE ONLY rowlock.done ALTER payload SET COMPRESSION pglz, ALTER result SET COMPRESSION pglz");

        ensure.run(8);

        assertThat(rooms.sql("""
                        SELECT attname FROM pg_attribute
                         WHERE attrelid = ('rowlock.' || ?)::regclass AND attcompression = 'p' ORDER BY attname
                        """).param(days(8, 8).get(0)).query(String.class).list())
                .containsExactly("payload", "result");
    }

    @Test
    void twoNodesThatMakePartitionsAtOnceBothSucceed() throws Exception {
        CompletableFuture<Void> ours;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            new EnsureDonePartitions(other.database()).run(20);
            ours = CompletableFuture.runAsync(() -> ensure.run(20));
            rooms.awaitBlocked();
            other.commit();
        }

        ours.get(10, TimeUnit.SECONDS);
        assertThat(partitions()).isEqualTo(days(0, 20));
    }

    @Test
    void completingGoesOnWhilePartitionsAreMade() throws Exception {
        List<OutcomeStatements.Finished> outcomes = rooms.running(1).stream()
                .map(job -> new OutcomeStatements.Finished(job.claim(), dev.rowlock.queue.job.JobState.COMPLETED, null))
                .toList();

        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            new EnsureDonePartitions(other.database()).run(20);
            assertThat(new OutcomeStatements(rooms.database(), true).finish(outcomes, true))
                    .hasSize(1);
            other.commit();
        }
    }

    @Test
    void aDayBeginsAtMidnightUtcWhateverTheSessionsTimeZone() {
        rooms.database().alone(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute("SET TimeZone = 'Asia/Kathmandu'");
                statement.execute("SELECT rowlock.ensure_done_partitions(30)");
                return statement.execute("RESET TimeZone");
            }
        });

        assertThat(rooms.truth("""
                        SELECT bool_and(pg_get_expr(relpartbound, oid) ~
                               ('FROM \\(''' || to_char(to_date(right(relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') || ' 00:00:00\\+00''\\)'))
                          FROM (SELECT c.oid, c.relname, c.relpartbound, set_config('TimeZone', 'UTC', true)
                                  FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid
                                 WHERE i.inhparent = 'rowlock.done'::regclass) AS p
                        """)).isTrue();
    }

    @Test
    void retentionDropsWholeDaysAndWritesDownHowManyJobsWent() {
        oldPartition("20200101", 3);
        oldPartition("20200102", 2);

        List<String> dropped = drop.run(WEEK);

        assertThat(dropped).containsExactly("done_20200101", "done_20200102");
        assertThat(partitions()).isEqualTo(days(0, 7));
        assertThat(dropped()).isEqualTo(5);
    }

    @Test
    void aDayIsDroppedOnlyWhenItsLastJobHasAgedOut() {
        pastPartition(2);

        List<String> within = drop.run(Duration.ofDays(2));
        List<String> after = drop.run(Duration.ofDays(1));

        assertThat(within).isEmpty();
        assertThat(after).hasSize(1);
    }

    @Test
    void todaysPartitionIsNeverDropped() {
        List<String> dropped = drop.run(Duration.ZERO);

        assertThat(dropped).isEmpty();
        assertThat(partitions()).isEqualTo(days(0, 7));
    }

    @Test
    void aPartitionThatSomebodyReadsIsLeftForTheNextTime() throws Exception {
        oldPartition("20200101", 3);

        List<String> whileRead;
        try (OpenTransaction reader = new OpenTransaction(rooms.database())) {
            new CountJobs(new BoundedSearch(reader.database(), Duration.ofSeconds(25)))
                    .all(row -> row.getString("queue"));
            whileRead = new DropDonePartitions(rooms.database()).run(WEEK);
        }
        List<String> afterwards = drop.run(WEEK);

        assertThat(whileRead).isEmpty();
        assertThat(afterwards).containsExactly("done_20200101");
        assertThat(dropped()).isEqualTo(3);
    }

    @Test
    void outcomesGoOnWhileRetentionCannotDropAPartitionThatSomebodyReads() throws Exception {
        for (int day = 1; day <= 5; day++) {
            oldPartition("2020010" + day, 1);
        }
        List<OutcomeStatements.Finished> outcomes = rooms.running(3_000).stream()
                .map(job -> new OutcomeStatements.Finished(job.claim(), dev.rowlock.queue.job.JobState.COMPLETED, null))
                .toList();

        CompletableFuture<List<String>> dropped;
        int recorded = 0;
        try (OpenTransaction reader = new OpenTransaction(rooms.database())) {
            new CountJobs(new BoundedSearch(reader.database(), Duration.ofSeconds(25)))
                    .all(row -> row.getString("queue"));
            dropped = CompletableFuture.supplyAsync(() -> new DropDonePartitions(rooms.database()).run(WEEK));
            OutcomeStatements finish = new OutcomeStatements(rooms.database(), true);
            while (!dropped.isDone() && recorded < outcomes.size()) {
                recorded += finish.finish(List.of(outcomes.get(recorded)), true).size();
            }
            dropped.get(); // on a slow machine there may be no more outcomes
        }

        assertThat(dropped.get()).isEmpty();
        assertThat(recorded).isPositive();
        assertThat(rooms.count("done") - 5).isEqualTo(recorded);
        assertThat(drop.run(WEEK)).hasSize(5);
    }

    @Test
    void aJobThatIsJustBeingWrittenToAnOldDayIsCountedToo() throws Exception {
        oldPartition("20200101", 1);

        CompletableFuture<List<String>> ours;
        try (OpenTransaction writer = new OpenTransaction(rooms.database())) {
            writer.database().alone(connection -> {
                try (var statement = connection.createStatement()) {
                    return statement.executeUpdate(jobsOf("20200101", 1));
                }
            });
            ours = CompletableFuture.supplyAsync(() -> drop.run(WEEK));
            rooms.awaitBlocked();
            writer.commit();
        }

        assertThat(ours.get()).containsExactly("done_20200101");
        assertThat(dropped()).isEqualTo(2);
    }

    @Test
    void onlyOneOfTwoNodesThatDropAtOnceDropsAPartition() throws Exception {
        oldPartition("20200101", 3);

        List<String> theirs;
        CompletableFuture<List<String>> ours;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            theirs = new DropDonePartitions(other.database()).run(WEEK);
            ours = CompletableFuture.supplyAsync(() -> drop.run(WEEK));
            rooms.awaitBlocked();
            other.commit();
        }

        assertThat(theirs).containsExactly("done_20200101");
        assertThat(ours.get()).isEmpty();
        assertThat(dropped()).isEqualTo(3);
    }

    @Test
    void tablesThatSomebodyElseAttachedAreLeftAlone() {
        rooms.execute(
                "CREATE TABLE rowlock.done_archive PARTITION OF rowlock.done FOR VALUES FROM ('2019-01-01 00:00+00') TO ('2019-12-31 00:00+00')");

        List<String> dropped = drop.run(WEEK);

        assertThat(dropped).isEmpty();
        assertThat(partitions()).contains("done_archive");
    }

    private void oldPartition(String day, int jobs) {
        rooms.execute("""
                CREATE TABLE rowlock.done_%1$s PARTITION OF rowlock.done
                FOR VALUES FROM ('%1$s 00:00+00') TO (timestamptz '%1$s 00:00+00' + interval '24 hours')
                """.formatted(day));
        rooms.execute(rooms.database().sql(jobsOf(day, jobs)));
    }

    private static String jobsOf(String day, int jobs) {
        return """
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), timestamptz '%s 12:00+00', timestamptz '2019-12-31', 0, 1, 0, 'completed', 'mail', 'send', '{}'
                  FROM generate_series(1, %d)
                """.formatted(day, jobs);
    }

    private void pastPartition(int daysAgo) {
        String day = rooms.sql("SELECT to_char((statement_timestamp() AT TIME ZONE 'UTC')::date - %d, 'YYYYMMDD')"
                        .formatted(daysAgo))
                .query(String.class)
                .single();
        oldPartition(day, 1);
    }

    @Test
    void daysThatAreOverGetAnIndexOfTheirSmallQueuesOneByOne() {
        IndexDonePartitions index = new IndexDonePartitions(rooms.database());
        oldPartition("20200101", 10);
        oldPartition("20200102", 19);
        rooms.execute(
                "UPDATE rowlock.done_20200102 SET queue = 'rare' WHERE id = (SELECT min(id) FROM rowlock.done_20200102)");

        assertThat(List.of(index.run(), index.run())).containsExactly("done_20200102", "done_20200101");
        assertThat(index.run()).as("neither today nor a day to come").isNull();

        assertThat(definition("done_20200102_by_queue"))
                .endsWith("(queue, id) WHERE (queue <> ALL ('{mail}'::text[]))");
        assertThat(rooms.sql("SELECT relname FROM pg_class WHERE relname LIKE 'done%by\\_queue'")
                        .query(String.class)
                        .list())
                .containsExactlyInAnyOrder("done_20200101_by_queue", "done_20200102_by_queue");
    }

    @Test
    void noIndexIsMadeOfTheDayThatOutcomesAreWrittenTo() {
        assertThatThrownBy(() -> rooms.number("SELECT count(*) FROM rowlock.index_done_partition('%s')"
                        .formatted(days(0, 0).get(0))))
                .hasMessageContaining("before its time is over");
        assertThatThrownBy(() -> rooms.number("SELECT count(*) FROM rowlock.index_done_partition('ready')"))
                .hasMessageContaining("is not a partition");
    }

    @Test
    void aDayThatSomebodyWritesToIsIndexedTheNextTime() throws Exception {
        IndexDonePartitions index = new IndexDonePartitions(rooms.database(), Duration.ofMillis(1));
        oldPartition("20200101", 1);
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            other.database().alone(connection -> {
                try (var statement = connection.createStatement()) {
                    return statement.executeUpdate("UPDATE rowlock.done_20200101 SET attempt = 2");
                }
            });

            assertThat(index.run()).isNull();
        }

        assertThat(index.run()).isEqualTo("done_20200101");
    }

    private String definition(String name) {
        return rooms.sql("SELECT pg_get_indexdef(('rowlock.' || ?)::regclass)")
                .param(name)
                .query(String.class)
                .single();
    }

    private List<String> partitions() {
        return rooms.sql("""
                        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                         WHERE i.inhparent = 'rowlock.done'::regclass ORDER BY c.relname
                        """).query(String.class).list();
    }

    private List<String> days(int from, int to) {
        return rooms.sql("""
                        SELECT 'done_' || to_char((statement_timestamp() AT TIME ZONE 'UTC')::date + n, 'YYYYMMDD')
                          FROM generate_series(%d, %d) AS n ORDER BY 1
                        """.formatted(from, to)).query(String.class).list();
    }

    private long dropped() {
        return rooms.number("SELECT coalesce(sum(jobs), 0) FROM rowlock.dropped WHERE room = 'done'");
    }
}
