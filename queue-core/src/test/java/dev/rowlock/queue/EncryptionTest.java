package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.rowlock.queue.job.DeadJob;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.search.DeadGroup;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.spi.PayloadException;
import dev.rowlock.queue.spring.AnnotatedListeners;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import javax.crypto.SecretKey;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What jobs carry and say lies encrypted in the tables, and everybody who has the keys reads it as ever. */
@PostgresTest(freshPerTest = true, migrated = true)
class EncryptionTest {

    private static final String SECRET = "4711-0815";

    private static final EncryptionKeys FIRST = EncryptionKeys.of("k1", Map.of("k1", key(1)));
    private static final EncryptionKeys BOTH = EncryptionKeys.of("k2", Map.of("k1", key(1), "k2", key(2)));
    private static final EncryptionKeys SECOND = EncryptionKeys.of("k2", Map.of("k2", key(2)));

    @JobType("pay")
    record Pay(String card, String more) {

        Pay(String card) {
            this(card, "");
        }
    }

    @JobType("fail")
    record Fail(String card) {}

    @JobType("die")
    record Die(String card) {}

    record Odd(@JsonProperty("$enc") String marked) {}

    @JobType("read")
    record Read() {}

    private final Queue<Object> heard = new ConcurrentLinkedQueue<>();
    private final Rowlocks rowlocks = new Rowlocks();
    private final DataSource pool;
    private final JdbcClient sql;

    EncryptionTest(TestDatabase database) {
        this.pool = database.dataSource();
        this.sql = JdbcClient.create(pool);
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    final class Listeners {

        @JobListener(keepResult = true)
        String pay(Pay pay, JobContext job) {
            job.checkpoint(String.class).ifPresent(heard::add);
            if (job.attempt() == 1 && !pay.more().equals("once")) {
                job.saveCheckpoint("at " + pay.card());
                throw new IllegalStateException("not yet " + pay.card());
            }
            heard.add(pay.card());
            job.errors().forEach(error -> heard.add(error.message()));
            return "paid by " + pay.card();
        }

        @JobListener
        void fail(Fail fail) {
            throw new IllegalArgumentException(
                    "no such card " + fail.card() + "\n\tat somewhere.Else(" + fail.card() + ")");
        }
    }

    static final class Mourning {

        private final Queue<Object> told = new ConcurrentLinkedQueue<>();

        @JobListener(onDead = "mourn", maxRetries = "0")
        void die(Die die) {
            throw new IllegalArgumentException("no such card " + die.card());
        }

        void mourn(Die die, DeadJob dead) {
            told.add(die);
            told.add(Objects.requireNonNull(dead.lastError()).message());
        }
    }

    private Rowlock started(UnaryOperator<RowlockBuilder> settings) {
        return rowlocks.started(settings.apply(quick(pool).listeners(AnnotatedListeners.of(new Listeners()))));
    }

    private Rowlock started(EncryptionKeys keys) {
        return started(builder -> builder.encryption(keys));
    }

    /** Everything in all tables that hold jobs. */
    private String stored() {
        return sql.sql("""
                        SELECT coalesce(string_agg(row_to_json(j)::text, ' '), '') || (SELECT coalesce(string_agg(row_to_json(c)::text, ' '), '') FROM rowlock.checkpoint c)
                               || (SELECT coalesce(string_agg(row_to_json(s)::text, ' '), '') FROM rowlock.schedule s)
                          FROM rowlock.job_details j""").query(String.class).single();
    }

    private static JobDetails ended(Rowlock rowlock, long id) {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> rowlock.search().find(id).orElseThrow(), job -> job.endedAt() != null);
    }

    @Test
    void aPayloadWhoseKeyIsNotThereIsNotReplacedByWhatStandsInItsPlace() {
        long sealed = rowlocks.built(quick(pool).encryption(FIRST))
                .jobs()
                .enqueue(new Pay(SECRET), o -> o.delay(Duration.ofHours(1)));

        assertThatThrownBy(() ->
                        rowlocks.built(quick(pool).encryption(SECOND)).admin().editPayloadUnchecked(sealed, "{}"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("k1");
    }

    @Test
    void aConditionThatSomethingIsMissingHoldsForNothingEncrypted() {
        assertThat(sql.sql("SELECT rowlock.payload_matches('{\"$enc\":\"k1\",\"data\":\"x\"}', '!exists($.vip)')")
                        .query(Boolean.class)
                        .single())
                .isFalse();
    }

    @Test
    void redactorsGetThePayloadThatTheListenerReads() throws Exception {
        Rowlock rowlock = started(builder -> builder.encryption(FIRST).redactor((job, error) -> {
            heard.add("redacts " + job.payload());
            return error;
        }));

        ended(rowlock, rowlock.jobs().enqueue(new Fail(SECRET), o -> o.maxRetries(0)));

        assertThat(heard).contains("redacts {\"card\":\"" + SECRET + "\"}");
    }

    @Test
    void anErrorIsRecordedAlsoWhileNoKeyCanBeHad() throws Exception {
        AtomicBoolean away = new AtomicBoolean();
        Rowlock rowlock = started(new EncryptionKeys() {
            @Override
            public @Nullable String current() {
                if (away.get()) {
                    throw new IllegalStateException("the key service is away");
                }
                return FIRST.current();
            }

            @Override
            public Optional<SecretKey> key(String id) {
                return FIRST.key(id);
            }
        });
        long id = rowlock.jobs().enqueue(new Fail(SECRET), o -> o.maxRetries(0).delay(Duration.ofMillis(200)));
        away.set(true);

        JobDetails dead = ended(rowlock, id);

        assertThat(dead.state()).isEqualTo(JobState.DEAD);
        assertThat(dead.errors()).singleElement().satisfies(error -> {
            assertThat(error.type()).isEqualTo(IllegalArgumentException.class.getName());
            assertThat(error.message()).isEqualTo("(not kept, because it could not be encrypted)");
        });
        assertThat(stored()).doesNotContain(SECRET);
    }

    @Test
    void whoIsToldOfADeadJobGetsItsPayloadAndErrorInClearText() throws Exception {
        Mourning mourning = new Mourning();
        Rowlock rowlock = rowlocks.started(
                quick(pool).listeners(AnnotatedListeners.of(mourning)).encryption(FIRST));

        rowlock.jobs().enqueue(new Die(SECRET));

        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .untilAsserted(
                        () -> assertThat(mourning.told).containsExactly(new Die(SECRET), "no such card " + SECRET));
        assertThat(stored()).contains("die.dead").doesNotContain(SECRET);
    }

    @Test
    void payloadsResultsCheckpointsAndErrorsLieEncryptedInTheTables() throws Exception {
        Rowlock rowlock = started(FIRST);

        long id = rowlock.jobs().enqueue(new Pay(SECRET));
        long large = rowlock.jobs().enqueue(new Pay(SECRET, "x".repeat(10_000)));
        String beforeTheEnd = stored();
        JobDetails job = ended(rowlock, id);
        ended(rowlock, large);

        assertThat(beforeTheEnd).doesNotContain(SECRET);
        assertThat(stored()).doesNotContain(SECRET).doesNotContain("xxxx").contains("\"$enc\":\"k1\"");
        assertThat(heard).contains(SECRET, "at " + SECRET, "not yet " + SECRET);
        assertThat(job.payload()).contains(SECRET);
        assertThat(job.result()).isEqualTo("\"paid by " + SECRET + "\"");
        assertThat(job.errors()).singleElement().satisfies(error -> {
            assertThat(error.message()).isEqualTo("not yet " + SECRET);
            assertThat(error.trace()).contains("not yet " + SECRET, "\tat ");
        });
        assertThat(rowlock.results().handle(id).await(Duration.ofSeconds(10), String.class))
                .isEqualTo("paid by " + SECRET);
    }

    @Test
    void checkpointsAreReadInTheNextAttempt() {
        Rowlock rowlock = started(FIRST);

        ended(rowlock, rowlock.jobs().enqueue(new Pay(SECRET)));

        assertThat(heard).contains("at " + SECRET);
    }

    @Test
    void theNewestKeyEncryptsAndOlderOnesDecrypt() {
        Rowlock old = rowlocks.built(quick(pool).encryption(FIRST));
        long before = old.jobs().enqueue(new Pay(SECRET));

        Rowlock rowlock = started(BOTH);
        long after = rowlock.jobs().enqueue(new Pay(SECRET));

        assertThat(ended(rowlock, before).state()).isEqualTo(JobState.COMPLETED);
        assertThat(ended(rowlock, after).state()).isEqualTo(JobState.COMPLETED);
        assertThat(keyOf(before)).isEqualTo("k1");
        assertThat(keyOf(after)).isEqualTo("k2");
    }

    private @Nullable String keyOf(long id) {
        return sql.sql("SELECT payload ->> '$enc' FROM rowlock.job_details WHERE id = ?")
                .param(id)
                .query(String.class)
                .optional()
                .orElse(null);
    }

    @Test
    void aJobWhoseKeyIsNotHereFailsWithItsKeysNameAndRunsOnceTheKeyIsBack() throws Exception {
        long id = rowlocks.built(quick(pool).encryption(FIRST))
                .jobs()
                .enqueue(new Pay(SECRET, "once"), o -> o.maxRetries(0));

        Rowlock without = started(SECOND);
        JobDetails dead = ended(without, id);
        without.close();
        Rowlock rowlock = started(BOTH);
        rowlock.admin().redrive(id);

        assertThat(dead.errors())
                .singleElement()
                .extracting(FailedAttempt::message)
                .asString()
                .isEqualTo(
                        "the payload is encrypted with key 'k1', which this application does not have (rowlock.encryption.keys.k1)");
        assertThat(dead.payload()).startsWith("\"(encrypted: ").doesNotContain(SECRET);
        Awaitility.await().until(() -> rowlock.search().find(id).orElseThrow().state() == JobState.COMPLETED);
    }

    @Test
    void jobsFromBeforeAndAfterEncryptionRunSideBySide() throws Exception {
        long clear = rowlocks.built(quick(pool)).jobs().enqueue(new Pay(SECRET));
        long bySql = sql.sql("SELECT rowlock.enqueue('pay', '{\"card\": \"by sql\", \"more\": \"\"}')")
                .query(Long.class)
                .single();

        Rowlock on = started(FIRST);
        JobDetails first = ended(on, clear);
        ended(on, bySql);
        long sealed = on.jobs().enqueue(new Pay("another"), o -> o.delay(Duration.ofHours(1)));
        on.close();

        assertThat(first.state()).isEqualTo(JobState.COMPLETED);
        assertThat(heard).contains(SECRET, "by sql");

        Rowlock off = started(builder -> builder);
        ended(off, off.jobs().enqueue(new Pay("in clear text")));
        assertThat(off.search().find(clear).orElseThrow().payload()).contains(SECRET);
        assertThat(off.search().find(clear).orElseThrow().result()).startsWith("\"(encrypted: ");
        assertThat(off.search().find(clear).orElseThrow().errors())
                .singleElement()
                .satisfies(error -> assertThat(error.message()).isEqualTo("(encrypted)"));
        assertThat(off.search().find(sealed).orElseThrow().payload())
                .isEqualTo(
                        "\"(encrypted: the payload is encrypted with key 'k1', and this application has no keys (rowlock.encryption.keys))\"");
        assertThatThrownBy(() -> off.admin().editPayloadUnchecked(sealed, "{}"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be edited here, but where its key is");
    }

    @Test
    void keysWithoutACurrentOneDecryptAndNothingIsEncryptedAnyMore() {
        long sealed = rowlocks.built(quick(pool).encryption(FIRST)).jobs().enqueue(new Pay(SECRET));
        Rowlock off = started(EncryptionKeys.of(null, Map.of("k1", key(1))));

        long clear = off.jobs().enqueue(new Pay("in clear text"));

        assertThat(ended(off, sealed).state()).isEqualTo(JobState.COMPLETED);
        assertThat(ended(off, clear).state()).isEqualTo(JobState.COMPLETED);
        assertThat(keyOf(sealed)).isEqualTo("k1");
        assertThat(keyOf(clear)).isNull();
        assertThat(off.search().find(sealed).orElseThrow().payload()).contains(SECRET);
    }

    @Test
    void anEncryptedPayloadMeansNothingInAJobOfAnotherTypeNorAResultInAnotherJob() {
        Rowlock rowlock = started(FIRST);
        long one = rowlock.jobs().enqueue(new Pay(SECRET));
        long other = rowlock.jobs().enqueue(new Pay("other"));
        ended(rowlock, one);
        ended(rowlock, other);

        sql.sql(
                        "UPDATE rowlock.done SET result = (SELECT result FROM rowlock.done WHERE id = ?), type = 'fail' WHERE id = ?")
                .params(one, other)
                .update();

        assertThat(rowlock.search().find(other).orElseThrow().payload()).contains("changed or moved here");
        assertThatThrownBy(() -> rowlock.results().handle(other).await(Duration.ofSeconds(10), String.class))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("the result is not what was encrypted with key 'k1'");
    }

    @Test
    void deadJobsAreGroupedByErrorAndThrowingMethodAndTheNewestMessageIsShown() {
        Rowlock rowlock = started(FIRST);
        List<Long> ids = List.of(
                rowlock.jobs().enqueue(new Fail("1 a"), o -> o.maxRetries(0)),
                rowlock.jobs().enqueue(new Fail(SECRET), o -> o.maxRetries(0)));
        ids.forEach(id -> ended(rowlock, id));

        List<DeadGroup> groups = rowlock.search()
                .deadByError(JobFilter.all(), GroupPage.first(10))
                .groups();

        assertThat(groups).singleElement().satisfies(group -> {
            assertThat(group.jobs()).isEqualTo(2);
            assertThat(group.message()).startsWith("no such card ");
            assertThat(group.thrownBy()).contains("EncryptionTest$Listeners.fail");
            assertThat(rowlock.search()
                            .find(JobFilter.where().fingerprint(group.fingerprint()), Page.first(10))
                            .jobs())
                    .hasSize(2)
                    .allSatisfy(job -> assertThat(job.lastError().message()).startsWith("no such card "));
        });
        assertThat(rowlock.search().explain(ids.get(1)).orElseThrow().toString())
                .contains("no such card " + SECRET);
        assertThat(stored()).doesNotContain(SECRET);
    }

    @Test
    void searchesThatCannotSeeInsideSayThatInsteadOfFindingNothing() {
        Rowlock rowlock = started(FIRST);
        Rowlock withoutKeys = rowlocks.built(quick(pool));
        assertThat(withoutKeys
                        .search()
                        .find(JobFilter.where().payload("$.card == 1"), Page.first(5))
                        .jobs())
                .as("nothing is encrypted yet")
                .isEmpty();
        ended(rowlock, rowlock.jobs().enqueue(new Pay(SECRET)));
        assertThatIllegalArgumentException()
                .as("of jobs that are done")
                .isThrownBy(() -> withoutKeys.search().count(JobFilter.where().errorText("yet"), 5));
        rowlock.jobs().enqueue(new Pay(SECRET), o -> o.delay(Duration.ofHours(1)));

        for (Rowlock each : List.of(rowlock, withoutKeys)) {
            for (JobFilter filter : List.of(
                    JobFilter.where().payload("$.card == \"x\""),
                    JobFilter.where().errorText("yet"))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> each.search().find(filter, Page.first(5)))
                        .withMessageContaining("are encrypted, so that the database cannot look for");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> each.search().count(filter, 5));
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> each.admin().cancel(filter));
            }
        }
        assertThat(rowlock.search()
                        .find(JobFilter.where().type("pay"), Page.first(5).withPayloads())
                        .jobs())
                .hasSize(2)
                .allSatisfy(job -> assertThat(job.payload()).contains(SECRET));
    }

    @Test
    void thePagesQueryNamesTheKeysThatAreNeeded() throws IOException {
        Rowlock old = rowlocks.built(quick(pool).encryption(FIRST));
        old.jobs().enqueue(new Pay(SECRET), o -> o.delay(Duration.ofHours(1)));
        old.jobs().enqueue(new Pay(SECRET), o -> o.delay(Duration.ofHours(1)));
        Rowlock rowlock = started(SECOND);
        ended(rowlock, rowlock.jobs().enqueue(new Pay(SECRET)));
        String page = Files.readString(Path.of("..", "docs", "payloads.md"));
        int begin = page.indexOf("SELECT (regexp_matches");

        List<String> keys = sql.sql(page.substring(begin, page.indexOf(";", begin)))
                .query((row, number) -> row.getString("key") + " " + row.getInt("jobs"))
                .list();

        assertThat(keys).containsExactlyInAnyOrder("k1 2", "k2 1");
    }

    @Test
    void anEditedPayloadIsEncryptedToo() {
        Rowlock rowlock = started(FIRST);
        long id = rowlock.jobs().enqueue(new Pay("wrong"), o -> o.delay(Duration.ofHours(1)));

        rowlock.admin().editPayload(id, "{\"card\": \"" + SECRET + "\", \"more\": \"\"}");

        assertThat(stored()).doesNotContain(SECRET);
        assertThat(rowlock.search().find(id).orElseThrow().payload()).contains(SECRET);
        rowlock.admin().runNow(id);
        assertThat(ended(rowlock, id).state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void recurringJobsCarryAnEncryptedPayload() {
        Rowlock rowlock = started(builder -> builder.encryption(FIRST)
                .recurring(RecurringJob.of("often", Schedule.every(Duration.ofSeconds(1)), new Pay(SECRET))));

        Awaitility.await().until(() -> heard.contains(SECRET));

        assertThat(rowlock.recurringJobs().find("often")).isPresent();
        assertThat(stored()).doesNotContain(SECRET);
    }

    @Test
    void stepsOfWorkflowsReadEncryptedResults() {
        Rowlock rowlock = rowlocks.built(quick(pool).encryption(FIRST));
        Rowlock node = started(builder -> builder.encryption(FIRST)
                .listener(
                        Read.class, (read, job) -> heard.add(rowlock.workflows().result(job, "pay", String.class))));

        rowlock.workflows()
                .start(Workflow.named("payment")
                        .step("pay", new Pay(SECRET))
                        .step("read", new Read(), s -> s.after("pay")));

        Awaitility.await().until(() -> heard.contains("paid by " + SECRET));
        assertThat(node.status().state()).isNotNull();
        assertThat(stored()).doesNotContain(SECRET);
    }

    @Test
    void badKeysStopTheStartWithAnErrorThatDoesNotQuoteThem() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EncryptionKeys.of("k1", Map.of("k1", new byte[16])))
                .withMessage("encryption key 'k1' has 16 bytes; it must have 32, for AES-256");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EncryptionKeys.of("k3", Map.of("k1", key(1))))
                .withMessage("the current encryption key 'k3' is not among the keys [k1]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EncryptionKeys.of("a b", Map.of("a b", key(1))))
                .withMessageContaining("must have 1 to 64 letters");
        assertThat(BOTH.toString()).isEqualTo("encryption keys [k1, k2], of which 'k2' encrypts");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> quick(pool).encryption(new Absent()).build())
                .withMessageContaining(
                        "the encryption keys do not work: the current encryption key 'gone' is not there");
    }

    private record Absent() implements EncryptionKeys {

        @Override
        public String current() {
            return "gone";
        }

        @Override
        public Optional<SecretKey> key(String id) {
            return Optional.empty();
        }
    }

    @Test
    void aPayloadThatLooksLikeAnEncryptedOneIsRefused() {
        Rowlock rowlock = rowlocks.built(quick(pool));

        assertThatThrownBy(() -> rowlock.jobs().enqueue(new Odd("k1")))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("that name marks encrypted ones");
    }

    private static byte[] key(int fill) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) fill);
        return key;
    }
}
