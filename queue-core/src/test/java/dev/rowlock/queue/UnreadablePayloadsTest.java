package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIgnoreType;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** Payloads that nobody could read are not stored, and stored ones that say nothing to their class do not run as objects of nulls. */
@PostgresTest(freshPerTest = true, migrated = true)
class UnreadablePayloadsTest {

    @JobType("send-mail")
    record SendMail(String mailAddress, String subjectLine) {}

    @JobType("send-mail")
    record UnderOtherNames(String mail_address, String subject_line) {}

    /** Jackson writes it by its getter, and finds nothing by which to make one. */
    static final class Plain {

        private final int number;

        Plain(int given) {
            this.number = given;
        }

        public int getNumber() {
            return number;
        }
    }

    /** Jackson makes one, and then cannot set the only thing that it knows. */
    static final class Constant {

        private final int number;

        Constant() {
            this(0);
        }

        private Constant(int number) {
            this.number = number;
        }

        public int getNumber() {
            return number;
        }
    }

    interface Shape {}

    record Circle(int radius) implements Shape {}

    record Draw(List<Shape> shapes) {}

    static final class Hidden {
        private @Nullable String to;

        static Hidden to(String address) {
            Hidden hidden = new Hidden();
            hidden.to = address;
            return hidden;
        }
    }

    @JsonIgnoreType
    static final class Clock {}

    @JsonIgnoreProperties("zone")
    static class Ignoring {
        private final String zone = "UTC";
        private final Clock clock = new Clock();
        private String note = "";

        @JsonIgnore
        private String secret = "";

        @JsonIgnore
        public String getNote() {
            return note;
        }
    }

    static class Request {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Sparse(@Nullable String note) {}

    record Nothing() {}

    private final DataSource pool;
    private final Queue<Object> heard = new ConcurrentLinkedQueue<>();
    private final Rowlocks rowlocks = new Rowlocks();

    UnreadablePayloadsTest(TestDatabase database) {
        this.pool = database.dataSource();
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void aDocumentOfWhichTheClassKnowsNothingFailsItsJobWhichKeepsItAndRunsOnceItIsCorrected() {
        Rowlock rowlock = rowlocks.started(quick(pool).listener(SendMail.class, (mail, job) -> heard.add(mail)));

        long id = rowlock.jobs().enqueue(new UnderOtherNames("ada@example.org", "hello"), o -> o.maxRetries(1));
        awaitState(rowlock, id, JobState.DEAD);

        assertThat(heard).isEmpty();
        JobDetails dead = rowlock.search().find(id).orElseThrow();
        assertThat(dead.payload()).contains("ada@example.org");
        assertThat(dead.errors())
                .hasSize(2)
                .extracting(FailedAttempt::message)
                .allSatisfy(message -> assertThat(message)
                        .contains("SendMail", "knows none of them", "mailAddress, subjectLine")
                        .doesNotContain("ada@example.org"));

        rowlock.admin().editPayload(id, "{\"mailAddress\": \"ada@example.org\", \"subjectLine\": \"hello\"}");
        rowlock.admin().redrive(id);
        awaitState(rowlock, id, JobState.COMPLETED);
        assertThat(heard).containsExactly(new SendMail("ada@example.org", "hello"));
    }

    @Test
    void aClassThatJacksonWritesAndCannotReadIsRefusedWhenItIsEnqueued() {
        JobOperations jobs = rowlocks.started(quick(pool)).jobs();

        assertThatThrownBy(() -> jobs.enqueue(new Plain(3)))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining(Plain.class.getName())
                .hasMessageContaining("has no constructor that takes its properties")
                .hasMessageContaining("use a record");
        assertThatThrownBy(() -> jobs.enqueue(new Constant(3)))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("none of its properties can be set");

        assertThat(stored()).isZero();
    }

    @Test
    void aClassOfWhoseFieldsJacksonWritesNoneIsRefusedUnlessItHasNone() {
        JobOperations jobs = rowlocks.started(quick(pool)).jobs();

        assertThatThrownBy(() -> jobs.enqueue(Hidden.to("ada@example.org")))
                .isInstanceOf(PayloadException.class)
                .hasMessageContainingAll(
                        Hidden.class.getName(), "without its fields (to)", "use a record", "getters", "@JsonIgnore")
                .hasMessageNotContaining("ada@example.org");
        jobs.enqueue(new Request());
        jobs.enqueue(new Sparse(null));
        jobs.enqueue(new Nothing());
        jobs.enqueue(new Ignoring());

        assertThat(stored()).isEqualTo(4);
    }

    @Test
    void aFieldThatAMixinIgnoresIsNoData() {
        JsonMapper mapper = JacksonPayloadCodec.mapperBuilder()
                .addMixIn(Hidden.class, IgnoresTo.class)
                .build();

        new JacksonPayloadCodec(mapper).checkReadable("{}", Hidden.class);
    }

    @SuppressWarnings("unused") // Jackson reads it
    abstract static class IgnoresTo {
        @JsonIgnore
        private String to = "";
    }

    @Test
    void aClassWhoseFirstDocumentsAreEmptyIsRefusedAtTheFirstThatCannotBeRead() {
        JobOperations jobs = rowlocks.started(quick(pool)).jobs();
        jobs.enqueue(new Draw(List.of()));

        assertThatThrownBy(() -> jobs.enqueueAll(List.of(new Draw(List.of()), new Draw(List.of(new Circle(1))))))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("Shape")
                .hasMessageContaining("abstract");

        assertThat(stored()).isEqualTo(1);
    }

    @Test
    void aCheckpointThatCannotBeReadIsRefusedInTheAttemptThatSavesIt() {
        Rowlock rowlock = rowlocks.started(quick(pool).listener(SendMail.class, (mail, job) -> {
            assertThatThrownBy(() -> job.saveCheckpoint(new Plain(3))).isInstanceOf(PayloadException.class);
            job.saveCheckpoint(List.of(1, 2));
            heard.add(job.checkpoint(List.class).orElseThrow());
        }));

        long id = rowlock.jobs().enqueue(new SendMail("ada@example.org", "hello"));

        awaitState(rowlock, id, JobState.COMPLETED);
        assertThat(heard).containsExactly(List.of(1, 2));
    }

    private long stored() {
        return JdbcClient.create(pool)
                .sql("SELECT count(*) FROM rowlock.job")
                .query(Long.class)
                .single();
    }

    private static void awaitState(Rowlock rowlock, long id, JobState state) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> rowlock.search().find(id).orElseThrow().state() == state);
    }
}
