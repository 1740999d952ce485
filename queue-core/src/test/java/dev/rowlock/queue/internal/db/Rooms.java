package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.enqueue.EnqueueJobs;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs.Placed;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.lease.NodeRow;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A Rowlock in a test's database: fills its rooms, claims from them, and looks into them. */
public final class Rooms {

    public static final String QUEUE = "mail";
    public static final Duration LEASE = Duration.ofMinutes(10);

    /** More than any test has ready when it claims one of them; a claim makes room for as many as it may bring. */
    private static final int ALL = 10_000;

    private final Database database;
    private final JdbcClient jdbc;
    private final DataSource superuser;

    public Rooms(Database database) {
        this(database, database.dataSource());
    }

    private Rooms(Database database, DataSource superuser) {
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
        this.superuser = superuser;
    }

    /** Makes the tables of the schema {@code rowlock} unless they are there, and empties them. */
    public static Rooms emptyIn(TestDatabase test) {
        Rooms rooms = in(test);
        rooms.clear();
        return rooms;
    }

    public static Rooms emptyIn(DataSource dataSource, Schema schema) {
        Rooms rooms = in(dataSource, schema);
        rooms.clear();
        return rooms;
    }

    /** Makes the tables of the schema {@code rowlock} unless they are there, and leaves what is in them. */
    public static Rooms in(TestDatabase test) {
        return new Rooms(in(test.dataSource(), new Schema("rowlock")).database, test.superuser());
    }

    /** Makes the tables unless they are there, and leaves what is in them. */
    public static Rooms in(DataSource dataSource, Schema schema) {
        new SchemaMigrator(dataSource, schema.name(), SchemaMode.MIGRATE).run();
        return new Rooms(new Database(dataSource, schema));
    }

    public void clear() {
        RoomTables.empty(this);
    }

    public Database database() {
        return database;
    }

    /** SQL as the statements write it, for the schema {@code rowlock}, run in this schema. */
    public JdbcClient.StatementSpec sql(String text) {
        return jdbc.sql(database.sql(text));
    }

    public int execute(String text) {
        return sql(text).update();
    }

    /** As after a longer absence than partitions are made ahead for. */
    public void dropDonePartitions() {
        RoomTables.dropDonePartitions(this);
    }

    // Filling

    /** A job of {@link #QUEUE}, runnable at once. */
    public static NewJob job() {
        return new NewJob(QUEUE, "send", 0, null, null, null, "{\"to\": \"a@example.org\"}", null, null);
    }

    public static NewJob job(String queue, int rank) {
        return new NewJob(queue, "send", rank, null, null, null, "{}", null, null);
    }

    public static NewJob job(Due due) {
        return new NewJob(QUEUE, "send", 0, due, null, null, "{}", null, null);
    }

    /** A job whose payload is large, and takes about so much room. */
    public static NewJob large(int characters) {
        return new NewJob(QUEUE, "send", 0, null, null, null, largePayload(characters), null, null);
    }

    public static String largePayload(int characters) {
        return '"' + letters(characters - 2) + '"';
    }

    /** Letters at random, which hardly compress. */
    public static String letters(int count) {
        return new Random(count)
                .ints(count, 'a', 'z')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** Enqueues jobs of which some have large payloads. */
    public long[] large(List<NewJob> jobs) {
        return database.atomically(connection -> new EnqueueJobs(database.schema()).run(connection, jobs));
    }

    /** Enqueues so many jobs with large payloads. */
    public long[] large(int jobs, int characters) {
        return large(Collections.nCopies(jobs, large(characters)));
    }

    /** Enqueues jobs that are runnable at once. */
    public long[] ready(List<NewJob> jobs) {
        return database.atomically(connection -> new EnqueueJobs(database.schema()).run(connection, jobs));
    }

    public long[] ready(int count) {
        return ready(Collections.nCopies(count, job()));
    }

    public long ready() {
        return ready(1)[0];
    }

    /** Enqueues jobs that have a due time. */
    public long[] waiting(List<NewJob> jobs) {
        return database.atomically(connection -> new EnqueueJobs(database.schema()).run(connection, jobs));
    }

    public long waiting(Due due) {
        return waiting(List.of(job(due)))[0];
    }

    /** A job of {@link #QUEUE} with a unique key, runnable at once unless it has a due time. */
    public static NewJob job(UniqueKey key, @Nullable Due due) {
        return new NewJob(QUEUE, "send", 0, due, null, null, "{}", null, key);
    }

    /** Enqueues jobs of any kind, all or none, unless their keys are held. */
    public List<Placed> unique(List<NewJob> jobs) {
        return database.atomically(connection -> new EnqueueUniqueJobs(database.schema()).run(connection, jobs));
    }

    public Placed unique(UniqueKey key) {
        return unique(List.of(job(key, null))).get(0);
    }

    /** Registers a node whose lease has just begun. */
    public long node() {
        return node("node");
    }

    public long node(String name) {
        return node(name, null);
    }

    private long node(String name, @Nullable String retries) {
        return database.atomically(connection -> new NodeRow(database.schema())
                .register(connection, name, new NodeRow.Work(Map.of(QUEUE, 10), retries), LEASE));
    }

    /** Registers a node whose listeners try again as this JSON says. */
    public long nodeThatRetries(String retries) {
        return node("node", retries);
    }

    /** Removes the node's row: what a judge does to a node that does not beat any more. */
    public void declareDead(long node) {
        sql("DELETE FROM rowlock.node WHERE id = ?").param(node).update();
    }

    public List<ClaimedJob> claim(long node, int limit) {
        return new ClaimReadyJobs(database)
                .run(QUEUE, QueueRange.ALL, limit, node, null)
                .jobs();
    }

    /** Enqueues one job and claims it for a new node. */
    public ClaimedJob running() {
        return running(job());
    }

    public ClaimedJob running(NewJob job) {
        return claimed(ready(List.of(job))[0]);
    }

    /** Enqueues one job with a unique key and claims it for a new node. */
    public ClaimedJob running(UniqueKey key) {
        return claimed(unique(key).id());
    }

    private ClaimedJob claimed(long id) {
        return claim(node(), ALL).stream()
                .filter(claimed -> claimed.id() == id)
                .findFirst()
                .orElseThrow();
    }

    /** Lets a running job complete, and returns its id. */
    public long complete(ClaimedJob job, boolean kept) {
        new OutcomeStatements(database, kept)
                .finish(List.of(new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, null)), kept);
        return job.id();
    }

    public List<ClaimedJob> running(int count) {
        ready(count);
        return claim(node(), count);
    }

    /** Kills a running job for good and returns its id. */
    public long dead() {
        return dead(job());
    }

    public long dead(NewJob job) {
        ClaimedJob running = running(job);
        bury(running.claim());
        return running.id();
    }

    /** Lets a running job fail for good. */
    public void bury(Claim claim) {
        new OutcomeStatements(database, true).bury(List.of(new OutcomeStatements.Buried(claim, error("it failed"))));
    }

    /** Puts a running job off, at no cost. */
    public void defer(Claim claim, Due due) {
        new OutcomeStatements(database, true)
                .defer(List.of(new OutcomeStatements.Deferred(claim, due, null, "retry", null)));
    }

    /** An entry of the error history as workers hand it in. */
    public static String error(String message) {
        return "{\"type\": \"java.lang.IllegalStateException\", \"message\": \"%s\", \"trace\": \"\"}"
                .formatted(message);
    }

    public static Claim stale(Claim claim) {
        return new Claim(claim.jobId(), claim.token() - 1);
    }

    /**
     * Fills the live rooms with many jobs of {@link #QUEUE}, quickly; those that run belong to the node. For each there
     * is a large payload too, so that it takes an index to find one.
     */
    public void fill(int jobs, long node) {
        FullRooms.fill(this, jobs, node);
    }

    // Looking

    /** Queues and ranks of the ready jobs, in the order in which they lie on disk. */
    public List<String> lanesOnDisk() {
        return sql("SELECT queue || rank FROM rowlock.ready ORDER BY ctid")
                .query(String.class)
                .list();
    }

    /** The rooms that hold the job: one, if all is well. */
    public List<String> roomsOf(long id) {
        List<String> found = new ArrayList<>();
        for (String room : List.of("waiting", "ready", "running", "done", "dead")) {
            long rows = number("SELECT count(*) FROM rowlock." + room + " WHERE id = " + id);
            found.addAll(Collections.nCopies((int) rows, room));
        }
        return found;
    }

    /** The job's line of the view {@code job_details}. */
    public Map<String, Object> look(long id) {
        return sql("SELECT * FROM rowlock.job_details WHERE id = ?")
                .param(id)
                .query()
                .singleRow();
    }

    public long count(String room) {
        return number("SELECT count(*) FROM rowlock." + room);
    }

    public long number(String text) {
        return sql(text).query(Long.class).single();
    }

    public boolean truth(String text) {
        return sql(text).query(Boolean.class).single();
    }

    /** Everything that the live rooms and dead hold, to be compared with later. */
    public List<Map<String, Object>> everything() {
        return sql("SELECT j::text FROM rowlock.job_details j ORDER BY id")
                .query()
                .listOfRows();
    }

    /** Makes the planner believe what a vacuum finds where all rows are gone and their pages still there. */
    public void believeEmptied(String... tables) {
        for (String table : tables) {
            execute("ALTER TABLE rowlock." + table + " SET (autovacuum_enabled = off)");
            asSuperuser(
                    "UPDATE pg_class SET reltuples = 0, relpages = 5000 WHERE oid = 'rowlock." + table + "'::regclass");
            asSuperuser("DELETE FROM pg_statistic WHERE starelid = 'rowlock." + table + "'::regclass");
        }
    }

    /** Does what owners of tables may not do, in a transaction of its own. */
    public void asSuperuser(String text) {
        JdbcClient.create(superuser).sql(database.sql(text)).update();
    }

    /** Waits until a statement waits for a lock that another transaction holds. */
    public void awaitBlocked() {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> blocked() == 1);
    }

    private long blocked() {
        return number(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
    }

    public static List<Long> ids(List<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::id).toList();
    }

    /** Some of the ids, the one at {@code to} not included. */
    public static List<Long> part(long[] ids, int from, int to) {
        return LongStream.of(Arrays.copyOfRange(ids, from, to)).boxed().toList();
    }
}
