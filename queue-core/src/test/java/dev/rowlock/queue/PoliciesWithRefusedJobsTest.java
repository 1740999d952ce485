package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The server refuses to move one job of a queue that has a policy. */
@PostgresTest(freshPerTest = true, migrated = true)
class PoliciesWithRefusedJobsTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int OTHERS = 20;

    /** What is refused is tried again soon. */
    private static final PolicyTimes TIMES = new PolicyTimes(
            Duration.ofMillis(200),
            Duration.ofSeconds(1),
            Duration.ofMillis(800),
            Duration.ofMillis(300),
            Duration.ofMillis(500));

    record Send(int number) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final Set<Integer> sent = ConcurrentHashMap.newKeySet();
    private final JdbcClient jdbc;
    private final Rowlock node;
    private volatile boolean throwing;

    PoliciesWithRefusedJobsTest(TestDatabase database) {
        jdbc = JdbcClient.create(database.dataSource());
        node = rowlocks.built(Rowlocks.quick(database.dataSource())
                .policyTimes(TIMES)
                .policy(new All())
                .listener(Send.class, (send, job) -> sent.add(send.number())));
        node.jobs().enqueueAll(IntStream.range(0, OTHERS).mapToObj(Send::new).toList());
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    /** @param when of the new row {@code r} */
    private void refuse(String room, String when) {
        jdbc.sql("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN IF %s THEN RAISE 'refused'; END IF; RETURN NEW; END $$
                """.formatted(when)).update();
        jdbc.sql("CREATE TRIGGER refuse BEFORE INSERT ON rowlock.%s FOR EACH ROW EXECUTE FUNCTION refuse()"
                        .formatted(room))
                .update();
    }

    private static final String THIRD = "(NEW.payload ->> 'number') = '3'";

    private void allOthersRun() {
        await().atMost(LONG).until(() -> sent.size() >= OTHERS - 1);
        assertThat(sent)
                .containsAll(
                        IntStream.range(0, OTHERS).filter(i -> i != 3).boxed().toList());
    }

    @Test
    void oneThatCannotBeHeldRunsAndTheOthersAreHeldAndChosen() {
        refuse("waiting", THIRD + " AND NEW.reason = 'policy'");

        node.start();

        allOthersRun();
        await().atMost(LONG).until(() -> sent.contains(3));
    }

    @Test
    void oneThatCannotBeAdmittedStaysAndTheOthersRun() {
        refuse("ready", THIRD);

        node.start();

        allOthersRun();
    }

    @Test
    void oneThatCouldNotBeAdmittedRunsOnceItCan() {
        refuse("ready", THIRD);
        node.start();
        allOthersRun();

        jdbc.sql("DROP TRIGGER refuse ON rowlock.ready").update();

        await().atMost(LONG).until(() -> sent.contains(3));
    }

    @Test
    void oneThatCannotBeLetGoStaysAndTheOthersRun() {
        throwing = true;
        refuse("ready", THIRD);

        node.start();

        allOthersRun();
    }

    private final class All implements AdmissionPolicy {

        @Override
        public String queue() {
            return "default";
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            if (throwing) {
                throw new IllegalStateException("no idea");
            }
            return Admission.of(request.jobs().stream()
                    .limit(request.room())
                    .map(WaitingJob::id)
                    .toList());
        }
    }
}
