package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Large payloads lie in a table of their own from enqueue to the end, and neither callers nor handlers notice. */
@PostgresTest(migrated = true)
@Representative
class LargePayloadTest {

    record Note(String text) {}

    private static final String SMALL = "small";
    private static final String LARGE = Rooms.letters(10_000);
    private static final Duration LATER = Duration.ofDays(1);

    private final Rooms rooms;
    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final JobSearch search;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final TransactionTemplate transaction;

    LargePayloadTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        jobs = new JobTemplate(
                rooms.database(),
                new JacksonPayloadCodec(JsonMapper.builder().build()),
                4 << 20,
                type -> Rooms.QUEUE,
                wakeups);
        admin = FrontDoors.admin(rooms.database(), Wakeups.NONE);
        search = new JobSearch(rooms.database());
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
    }

    // Where it lies

    @Test
    void aSmallPayloadStaysInItsRoomAndALargeOneGoesToATableOfItsOwn() {
        int quotes = json("").length();
        long small = jobs.enqueue(new Note("x".repeat(NewJob.LARGE - quotes)));
        long large = jobs.enqueue(new Note("x".repeat(NewJob.LARGE - quotes + 1)));

        assertThat(aside()).containsExactly(large);
        assertThat(inRoom("ready")).containsExactly(small);
    }

    @Test
    void smallAndLargePayloadsOfOneCallKeepTheirOrder() {
        List<JobRequest> requests = IntStream.range(0, 40)
                .mapToObj(i -> new JobRequest(new Note(i % 3 == 0 ? LARGE + i : SMALL + i), options(i)))
                .toList();

        long[] ids = new long[requests.size()];
        int[] next = {0};
        jobs.enqueueAll(requests.stream(), id -> ids[next[0]++] = id);

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        for (int i = 0; i < ids.length; i++) {
            JobDetails job = search.find(ids[i]).orElseThrow();
            assertThat(job.payload()).isEqualTo(json(((Note) requests.get(i).payload()).text()));
            assertThat(job.state()).isEqualTo(i % 5 == 0 ? JobState.WAITING : JobState.READY);
            assertThat(job.priority()).isEqualTo(i % 2);
        }
        assertThat(aside()).hasSize(14);
        assertThat(rooms.claim(rooms.node(), 40))
                .extracting(ClaimedJob::id)
                .containsExactlyElementsOf(Stream.concat(
                                IntStream.range(0, 40).filter(i -> i % 2 == 1).boxed(),
                                IntStream.range(0, 40).filter(i -> i % 2 == 0).boxed())
                        .filter(i -> i % 5 != 0)
                        .map(i -> ids[i])
                        .toList());
    }

    @Test
    void largePayloadsThatAreAlikeKeepTheirOrder() {
        List<Note> notes =
                IntStream.range(0, 30).mapToObj(i -> new Note(LARGE + i)).toList();

        long[] ids = jobs.enqueueAll(notes);

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(rooms.claim(rooms.node(), 30))
                .extracting(ClaimedJob::id, ClaimedJob::payload)
                .containsExactlyElementsOf(IntStream.range(0, 30)
                        .mapToObj(i -> tuple(ids[i], json(notes.get(i).text())))
                        .toList());
    }

    private static JobOptions options(int i) {
        JobOptions options = JobOptions.NONE.priority(i % 2);
        return i % 5 == 0 ? options.delay(LATER) : options;
    }

    @Test
    void aLargePayloadWithAUniqueKeyIsStoredOnlyIfItsJobIsCreated() {
        UniqueKey key = UniqueKey.of("order-42");
        long first = jobs.enqueueUnique(new Note(LARGE), key).id();

        EnqueueResult second = jobs.enqueueUnique(new Note(LARGE + "again"), key);
        long[] ids = new long[3];
        int[] next = {0};
        jobs.enqueueAll(
                Stream.of(
                        new JobRequest(new Note(SMALL), JobOptions.NONE.unique(UniqueKey.of("small"))),
                        new JobRequest(new Note(LARGE + "again"), JobOptions.NONE.unique(key)),
                        new JobRequest(new Note(LARGE + "other"), JobOptions.NONE)),
                id -> ids[next[0]++] = id);

        assertThat(second).isEqualTo(new EnqueueResult(first, Enqueued.KEPT));
        assertThat(ids[1]).isEqualTo(first);
        assertThat(aside()).containsExactly(first, ids[2]);
        assertThat(payload(first)).isEqualTo(json(LARGE));
        assertThat(payload(ids[0])).isEqualTo(json(SMALL));
        assertThat(payload(ids[2])).isEqualTo(json(LARGE + "other"));
    }

    @Test
    void aLargePayloadRollsBackWithItsJob() {
        transaction.executeWithoutResult(status -> {
            jobs.enqueue(new Note(LARGE));
            jobs.enqueueAll(List.of(new Note(SMALL), new Note(LARGE)));
            status.setRollbackOnly();
        });

        assertThat(rooms.count("ready")).isZero();
        assertThat(aside()).isEmpty();
    }

    @Test
    void workersAreWokenForALargePayload() {
        jobs.enqueue(new Note(LARGE), o -> o.priority(3));
        jobs.enqueue(new Note(LARGE), o -> o.delay(LATER));

        assertThat(wakeups.heard()).hasSize(2).contains("1 ready in mail from rank -3");
        assertThat(wakeups.heard().get(1)).startsWith("waiting PT");
    }

    // How it arrives

    @Test
    void aClaimBringsPayloadsUpTo64KilobytesAndLargerOnesArriveAtTheStart() {
        String huge = Rooms.letters(200_000);
        jobs.enqueueAll(List.of(new Note(SMALL), new Note(LARGE), new Note(huge)));

        List<ClaimedJob> claimed = rooms.claim(rooms.node(), 10);

        ClaimStatements load = new ClaimStatements(rooms.database());
        Claim last = claimed.get(2).claim();
        assertThat(claimed).extracting(ClaimedJob::payload).containsExactly(json(SMALL), json(LARGE), null);
        assertThat(load.payload(last)).contains(json(huge));
        assertThat(load.payload(claimed.get(0).claim())).contains(json(SMALL));
        assertThat(load.payload(claimed.get(1).claim())).contains(json(LARGE));
        assertThat(load.payload(new Claim(last.jobId(), last.token() - 1))).isEmpty();
    }

    @Test
    void aLargePayloadIsCountedBySizeInMemoryHoweverWellItCompresses() {
        String zeros = "0".repeat(900_000);
        String umlauts = "ä".repeat(40_000);
        rooms.execute("ALTER TABLE rowlock.payload ALTER payload SET STORAGE EXTENDED"); // also where there is no lz4
        jobs.enqueue(new Note(zeros));
        jobs.enqueueAll(List.of(new Note(zeros), new Note(SMALL)));
        jobs.enqueue(new Note(umlauts), o -> o.unique("umlauts"));

        List<ClaimedJob> claimed = rooms.claim(rooms.node(), 10);

        assertThat(rooms.truth("SELECT bool_and(bytes = octet_length(payload::text)) FROM rowlock.payload"))
                .isTrue();
        assertThat(rooms.truth("SELECT bool_and(pg_column_size(payload) < 65536) FROM rowlock.payload"))
                .isTrue();
        assertThat(claimed).extracting(ClaimedJob::payload).containsExactly(null, null, json(SMALL), null);
        ClaimStatements load = new ClaimStatements(rooms.database());
        assertThat(load.payload(claimed.get(1).claim())).contains(json(zeros));
        assertThat(load.payload(claimed.get(3).claim())).contains(json(umlauts));
    }

    @Test
    void aClaimBringsAlongNoLargerPayloadThanItIsAllowedTo() {
        jobs.enqueueAll(List.of(new Note(LARGE), new Note(LARGE + LARGE), new Note(SMALL)));

        List<ClaimedJob> claimed = new ClaimReadyJobs(rooms.database())
                .run(Rooms.QUEUE, QueueRange.ALL, 10, json(LARGE).length(), rooms.node(), null)
                .jobs();

        assertThat(claimed).extracting(ClaimedJob::payload).containsExactly(json(LARGE), null, json(SMALL));
    }

    /** Each brings a claimed job to somewhere else. */
    enum Move {
        FINISH(JobState.COMPLETED),
        FINISH_IN_TRANSACTION(JobState.COMPLETED),
        DEFER(JobState.WAITING),
        BURY(JobState.DEAD),
        RELEASE(JobState.READY),
        RESCUE(JobState.READY),
        TAKE_OVERDUE(JobState.WAITING);

        private final JobState end;

        Move(JobState end) {
            this.end = end;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMoveKeepsALargePayloadWithoutTouchingIt(Move move) {
        long id = jobs.enqueue(new Note(LARGE), o -> o.timeout(Duration.ofMillis(1)));
        String place = place();
        long node = rooms.node();

        move(move, rooms.claim(node, 1).get(0), node);

        assertThat(search.find(id).orElseThrow().state()).isEqualTo(move.end);
        assertThat(payload(id)).isEqualTo(json(LARGE));
        assertThat(place()).isEqualTo(place);
    }

    private void move(Move move, ClaimedJob job, long node) {
        Claim claim = job.claim();
        switch (move) {
            case FINISH ->
                new OutcomeStatements(rooms.database(), true)
                        .finish(List.of(new OutcomeStatements.Finished(claim, JobState.COMPLETED, "1")), true);
            case FINISH_IN_TRANSACTION ->
                transaction.executeWithoutResult(
                        status -> new OutcomeStatements(rooms.database(), true).finishInTransaction(claim, "1", true));
            case DEFER -> rooms.defer(claim, Due.after(LATER));
            case BURY -> rooms.bury(claim);
            case RELEASE -> new OutcomeStatements(rooms.database(), true).release(List.of(claim));
            case RESCUE -> {
                rooms.declareDead(node);
                new RescueJobs(rooms.database()).run(3, RescueJobs.LIMIT);
            }
            case TAKE_OVERDUE -> {
                new OverdueStatements(rooms.database()).take(List.of(OverdueClaim.alone(claim)), 10, LATER);
            }
        }
    }

    @Test
    void aRetryADispatchARedriveAndACancelKeepALargePayload() {
        long id = jobs.enqueue(new Note(LARGE), o -> o.delay(Duration.ofMillis(1)));
        String place = place();
        long node = rooms.node();
        rooms.execute("UPDATE rowlock.waiting SET due_at = statement_timestamp()");

        dispatch();
        rooms.defer(rooms.claim(node, 1).get(0).claim(), Due.after(LATER));
        rooms.execute("UPDATE rowlock.waiting SET due_at = statement_timestamp()");
        dispatch();
        rooms.bury(rooms.claim(node, 1).get(0).claim());
        admin.redrive(id);
        dispatch();
        ClaimedJob again = rooms.claim(node, 1).get(0);

        assertThat(again.payload()).isEqualTo(json(LARGE));
        new OutcomeStatements(rooms.database(), true).release(List.of(again.claim()));
        assertThat(admin.cancel(id)).isEqualTo(CancelResult.CANCELLED);
        assertThat(search.find(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
        assertThat(payload(id)).isEqualTo(json(LARGE));
        assertThat(place()).isEqualTo(place);
    }

    private void dispatch() {
        new DispatchDueJobs(rooms.database()).run(10);
    }

    private String payload(long id) {
        return search.find(id).orElseThrow().payload();
    }

    /** Where the only large payload lies, which changes if it is written anew. */
    private String place() {
        return rooms.sql("SELECT ctid::text FROM rowlock.payload")
                .query(String.class)
                .single();
    }

    private List<Long> aside() {
        return rooms.sql("SELECT job_id FROM rowlock.payload ORDER BY job_id")
                .query(Long.class)
                .list();
    }

    private List<Long> inRoom(String room) {
        return rooms.sql("SELECT id FROM rowlock." + room + " WHERE payload IS NOT NULL ORDER BY id")
                .query(Long.class)
                .list();
    }

    private static String json(String text) {
        return "{\"text\":\"" + text + "\"}";
    }
}
