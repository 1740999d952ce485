package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A unique key makes one job of many requests, and of a request that is repeated. */
@PostgresTest(migrated = true)
class UniqueJobsTest {

    record SendMail(String to) {}

    record Print(int page) {}

    private static final UniqueKey KEY = UniqueKey.of("order-42");

    private final TestDatabase test;
    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobTemplate jobs;
    private final DataSourceTransactionManager transactions;
    private final TransactionTemplate transaction;
    private CompletableFuture<Long> call;

    UniqueJobsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        jobs = template(rooms.database());
        transactions = new DataSourceTransactionManager(test.dataSource());
        transaction = new TransactionTemplate(transactions);
    }

    @Test
    void theAnswerTellsWhetherTheJobIsNew() {
        EnqueueResult first = jobs.enqueueUnique(new SendMail("first"), KEY);
        EnqueueResult second = jobs.enqueueUnique(new SendMail("second"), KEY, o -> o.priority(5));
        EnqueueResult other = jobs.enqueueUnique(new Print(1), KEY);

        assertThat(first.created()).isTrue();
        assertThat(second).isEqualTo(new EnqueueResult(first.id(), Enqueued.KEPT));
        assertThat(other.created()).isTrue();
        assertThat(jobs.enqueueUnique(new Print(2), KEY).created()).isFalse();
        assertThat(rooms.look(first.id())).containsEntry("priority", 0);
    }

    @Test
    void everyOptionIsStoredWithAUniqueJob() {
        long id = jobs.enqueue(
                new SendMail("a"),
                o -> o.unique("order-42")
                        .queue("bulk")
                        .priority(7)
                        .delay(Duration.ofHours(1))
                        .maxRetries(4)
                        .timeout(Duration.ofMillis(1500))
                        .header("k", "v"));

        assertThat(rooms.look(id))
                .containsEntry("state", "waiting")
                .containsEntry("queue", "bulk")
                .containsEntry("priority", 7)
                .containsEntry("max_retries", 4)
                .containsEntry("timeout_millis", 1500L)
                .hasEntrySatisfying(
                        "headers", headers -> assertThat(headers.toString()).contains("\"k\":\"v\""));
        assertThat(jobs.enqueue(new SendMail("b"), o -> o.unique("order-42"))).isEqualTo(id);
    }

    @Test
    void aKeyIsSharedByAllQueues() {
        long id = jobs.enqueue(new SendMail("a"), o -> o.queue("slow").unique("order-42"));

        assertThat(jobs.enqueue(new SendMail("a"), o -> o.queue("fast").unique("order-42")))
                .isEqualTo(id);
    }

    // Many

    @Test
    void idsComeInTheOrderOfTheStreamAndNameTheHoldersOfTheKeys() {
        long held = jobs.enqueue(new SendMail("held"), o -> o.unique("3"));
        List<Long> ids = new ArrayList<>();

        long created = jobs.enqueueAll(
                IntStream.range(0, 12)
                        .mapToObj(i -> JobRequest.of(new SendMail("" + i), o -> switch (i % 3) {
                            case 0 -> o.unique("" + i % 9);
                            case 1 -> o.delay(Duration.ofDays(1));
                            default -> o;
                        })),
                ids::add);

        assertThat(created)
                .as("neither the held key nor the one that comes again")
                .isEqualTo(10);
        assertThat(ids).hasSize(12);
        assertThat(ids.get(3)).isEqualTo(held);
        assertThat(ids.get(9)).isEqualTo(ids.get(0));
        assertThat(ids.stream().distinct().map(this::mail))
                .containsExactly("0", "1", "2", "held", "4", "5", "6", "7", "8", "10", "11");
    }

    @Test
    void aKeyThatRepeatsInALaterChunkMakesNoSecondJob() {
        int count = JobTemplate.UNIQUE_CHUNK_JOBS + 510;
        List<Long> ids = new ArrayList<>();

        long created = jobs.enqueueAll(
                IntStream.range(0, count)
                        .mapToObj(i -> JobRequest.of(new SendMail("" + i), o -> o.unique("" + i % 1_500))),
                ids::add);

        assertThat(created).isEqualTo(1_500);
        assertThat(ids.subList(1_500, count)).isEqualTo(ids.subList(0, count - 1_500));
        assertThat(rooms.count("ready")).isEqualTo(1_500);
    }

    @Test
    void jobsOfOneCallRunInTheirOrderWhateverTheirKeysAre() {
        jobs.enqueueAll(IntStream.range(0, 20)
                .mapToObj(i -> JobRequest.of(new SendMail("" + i), o -> i % 2 == 0 ? o.unique("" + -i) : o)));

        assertThat(mails())
                .isEqualTo(IntStream.range(0, 20).mapToObj(i -> "" + i).toList());
    }

    @Test
    void oneKeyForManyPayloadsIsRefused() {
        assertThatThrownBy(() ->
                        jobs.enqueueAll(List.of(new SendMail("a"), new SendMail("b")), JobOptions.NONE.unique(KEY)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'order-42'")
                .hasMessageContaining("JobRequest");
        assertThat(rooms.count("ready")).isZero();
    }

    // Transactions

    @Test
    void aKeyIsTakenIfAndOnlyIfItsTransactionCommits() {
        transaction.executeWithoutResult(status -> {
            jobs.enqueue(new SendMail("rolled back"), o -> o.unique(KEY));
            status.setRollbackOnly();
        });
        assertThat(rooms.count("unique_key")).isZero();

        transaction.executeWithoutResult(status -> {
            assertThat(jobs.enqueueUnique(new SendMail("first"), KEY).created()).isTrue();
            assertThat(jobs.enqueueUnique(new SendMail("second"), KEY).created())
                    .as("in the transaction that holds it")
                    .isFalse();
        });
        assertThat(mails()).containsExactly("first");
    }

    @Test
    void aSavepointThatRollsBackGivesItsKeysBack() {
        TransactionTemplate nested = new TransactionTemplate(transactions);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        transaction.executeWithoutResult(outer -> {
            nested.executeWithoutResult(inner -> {
                jobs.enqueue(new SendMail("inner"), o -> o.unique(KEY));
                inner.setRollbackOnly();
            });
            jobs.enqueue(new SendMail("outer"), o -> o.unique(KEY));
        });

        assertThat(mails()).containsExactly("outer");
    }

    @Test
    void aStreamThatFailsInTheMiddleTakesNoKeys() {
        assertThatThrownBy(() -> jobs.enqueueAll(IntStream.range(0, 1_500).mapToObj(i -> {
                    if (i == 1_200) {
                        throw new IllegalStateException("unreadable");
                    }
                    return JobRequest.of(new SendMail(""), o -> o.unique("" + i));
                })))
                .hasMessage("unreadable");

        assertThat(rooms.count("ready")).isZero();
        assertThat(rooms.count("unique_key")).isZero();
    }

    @Test
    void aReadOnlyTransactionIsRefused() {
        transaction.setReadOnly(true);

        assertThatThrownBy(() -> transaction.execute(status -> jobs.enqueueUnique(new SendMail("ada"), KEY)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("read-only");
    }

    @Test
    void onlyOneOfManyConcurrentCallsCreatesTheJob() {
        List<CompletableFuture<EnqueueResult>> asked = IntStream.range(0, 40)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> i % 2 == 0
                        ? jobs.enqueueUnique(new SendMail("" + i), KEY)
                        : transaction.execute(status -> jobs.enqueueUnique(new SendMail("" + i), KEY))))
                .toList();

        List<EnqueueResult> results =
                asked.stream().map(CompletableFuture::join).toList();

        assertThat(results.stream().filter(EnqueueResult::created)).hasSize(1);
        assertThat(results.stream().map(EnqueueResult::id).distinct()).hasSize(1);
        assertThat(rooms.count("ready")).isEqualTo(1);
    }

    @Test
    void callsThatTakeTheSameKeysInOppositeOrderBothSucceed() {
        int count = 3 * JobTemplate.CHUNK_JOBS;
        for (int round = 0; round < 3; round++) {
            String prefix = round + "-";
            List<CompletableFuture<Long>> calls = Stream.of(false, true)
                    .map(backwards -> CompletableFuture.supplyAsync(() -> jobs.enqueueAll(keyed(
                            prefix,
                            IntStream.range(0, count)
                                    .map(i -> backwards ? count - 1 - i : i)
                                    .boxed()))))
                    .toList();

            assertThat(calls.stream().mapToLong(CompletableFuture::join).sum()).isEqualTo(count);
        }

        assertThat(rooms.count("ready")).isEqualTo(3 * count);
    }

    @Test
    void aCallThatIsTheVictimOfADeadlockIsRepeated() {
        List<Long> ids = new ArrayList<>();
        // Only superusers may set this.
        JdbcClient.create(test.superuser()).sql("""
                CREATE FUNCTION never_give_in() RETURNS text LANGUAGE sql SECURITY DEFINER
                RETURN set_config('deadlock_timeout', '1min', true)
                """).update();

        List<Long> held = transaction.execute(status -> {
            rooms.sql("SELECT never_give_in()").query().singleValue(); // this transaction is not the victim
            long z = jobs.enqueue(new SendMail("mine"), o -> o.unique("z"));
            call = CompletableFuture.supplyAsync(() -> jobs.enqueueAll(
                    Stream.of("a", "z").map(key -> JobRequest.of(new SendMail(key), o -> o.unique(key))), ids::add));
            CompletableFuture.runAsync(rooms::awaitBlocked).join(); // a transaction sees others as they were
            return List.of(jobs.enqueue(new SendMail("mine"), o -> o.unique("a")), z);
        });

        assertThat(call.join()).isZero();
        assertThat(ids).isEqualTo(held);
    }

    private static Stream<JobRequest> keyed(String prefix, Stream<Integer> numbers) {
        return numbers.map(i -> JobRequest.of(new SendMail(""), o -> o.unique(prefix + "%05d".formatted(i))));
    }

    // Wake-ups

    @Test
    void onlyNewJobsWakeWorkers() {
        jobs.enqueue(new SendMail("first"), o -> o.queue("a").unique(KEY));
        assertThat(wakeups.heard()).containsExactly("1 ready in a from rank 0");

        jobs.enqueue(new SendMail("second"), o -> o.queue("b").unique(KEY));
        transaction.executeWithoutResult(
                status -> jobs.enqueue(new SendMail("third"), o -> o.queue("c").unique(KEY)));
        jobs.enqueueAll(IntStream.range(0, 2)
                .mapToObj(i ->
                        JobRequest.of(new SendMail(""), o -> o.queue("d" + i).unique("order-4" + (2 + i)))));

        assertThat(wakeups.heard()).containsExactly("1 ready in a from rank 0", "1 ready in d1 from rank 0");
    }

    private JobTemplate template(Database database) {
        return new JobTemplate(
                database, new JacksonPayloadCodec(JsonMapper.builder().build()), 1_000, type -> null, wakeups);
    }

    private List<String> mails() {
        return rooms.sql("SELECT payload ->> 'to' FROM rowlock.ready ORDER BY queue, rank, ready_at, id")
                .query(String.class)
                .list();
    }

    private String mail(long id) {
        return rooms.sql("SELECT payload ->> 'to' FROM rowlock.job_details WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    @Test
    void aJobShowsItsUniqueKeyInAllRoomsAndItsHandlerSeesNoSuchHeader() {
        String key = "order-1 \"quoted\" \u00e9";
        long id = jobs.enqueue(new SendMail("a"), o -> o.unique(key).queue(Rooms.QUEUE));
        JobSearch search = new JobSearch(rooms.database());

        assertThat(search.find(id).orElseThrow().uniqueKey()).isEqualTo(key);
        ClaimedJob running = rooms.claim(rooms.node(), 1).get(0);
        rooms.complete(running, true);

        assertThat(Headers.decode(running.headers())).isEmpty();
        assertThat(search.find(id).orElseThrow().uniqueKey()).isEqualTo(key);
        assertThat(search.find(id).orElseThrow().headers()).isEmpty();
        assertThat(search.find(JobFilter.all(), Page.first(1)).jobs())
                .extracting(JobSummary::uniqueKey)
                .containsExactly(key);
    }
}
