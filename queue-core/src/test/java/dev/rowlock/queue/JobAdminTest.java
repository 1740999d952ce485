package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest
class JobAdminTest {

    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobAdmin admin;
    private final JobSearch search;
    private final TransactionTemplate transaction;

    JobAdminTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        admin = new JobAdmin(rooms.database(), wakeups);
        search = new JobSearch(rooms.database());
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
    }

    // Cancel

    @Test
    void aJobThatIsNotRunningIsCancelledAtOnce() {
        long waiting = rooms.waiting(Due.after(Duration.ofDays(1)));
        long ready = rooms.ready();

        assertThat(Stream.of(waiting, ready)).allSatisfy(id -> {
            assertThat(admin.cancel(id)).isEqualTo(CancelResult.CANCELLED);
            assertThat(rooms.roomsOf(id)).containsExactly("done");
            assertThat(search.find(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
        });
        assertThat(wakeups.heard()).isEmpty();
    }

    @Test
    void aRunningJobIsAskedToStopAndItsNodeHearsAtOnce() {
        ClaimedJob job = rooms.running();

        CancelResult result = admin.cancel(job.id());

        assertThat(result).isEqualTo(CancelResult.REQUESTED);
        assertThat(search.find(job.id()).orElseThrow().cancelRequested()).isTrue();
        assertThat(wakeups.heard()).containsExactly("attention");
    }

    @Test
    void anEndedJobStaysAsItEndedAndAnUnknownJobIsNotFound() {
        long id = rooms.ready();
        admin.cancel(id);

        long dead = rooms.dead();

        assertThat(admin.cancel(id)).isEqualTo(CancelResult.ALREADY_ENDED);
        assertThat(admin.cancel(dead)).isEqualTo(CancelResult.ALREADY_ENDED);
        assertThat(rooms.roomsOf(dead)).containsExactly("dead");
        assertThat(admin.cancel(Long.MAX_VALUE)).isEqualTo(CancelResult.NOT_FOUND);
    }

    @Test
    void aCancelRollsBackWithItsTransaction() {
        long ready = rooms.ready();
        ClaimedJob running = rooms.running(1).get(0);

        transaction.executeWithoutResult(status -> {
            admin.cancel(ready);
            admin.cancel(running.id());
            status.setRollbackOnly();
        });

        assertThat(search.find(running.id()).orElseThrow().cancelRequested()).isFalse();
        assertThat(rooms.count("done")).isZero();
        assertThat(wakeups.heard()).isEmpty();
    }

    // Redrive and discard

    @Test
    void aDeadJobIsRedrivenAndTheDispatcherHears() {
        long id = rooms.dead();

        assertThat(admin.redrive(id)).isTrue();
        assertThat(admin.redrive(id)).isFalse();

        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
        assertThat(wakeups.heard()).containsExactly("waiting PT0S");
    }

    @Test
    void allDeadJobsOfAQueueAreRedrivenHoweverMany() {
        manyDead(2_500, Rooms.QUEUE);
        manyDead(3, "print");

        long redriven = admin.redriveAll(Rooms.QUEUE);

        assertThat(redriven).isEqualTo(2_500);
        assertThat(rooms.count("waiting")).isEqualTo(2_500);
        assertThat(rooms.count("dead")).isEqualTo(3);
    }

    @Test
    void theDeadJobsOfAllQueuesMayBeRedrivenOrDiscardedTogether() {
        manyDead(3, Rooms.QUEUE);
        manyDead(2, "print");
        manyDead(1, "archive");

        assertThat(admin.redriveAll()).isEqualTo(6);
        assertThat(admin.redriveAll()).isZero();
        assertThat(rooms.count("waiting")).isEqualTo(6);

        manyDead(4, "archive");
        manyDead(5, "print");
        assertThat(admin.discardAll()).isEqualTo(9);
        assertThat(rooms.count("dead")).isZero();
    }

    @Test
    void aRedriveEndsThoughItsJobsDieAgainAtOnce() {
        manyDead(2_500, Rooms.QUEUE);
        rooms.execute("""
                CREATE OR REPLACE FUNCTION die_again() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    DELETE FROM rowlock.waiting WHERE id = NEW.id;
                    INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                    VALUES (NEW.id, now(), now(), 0, 1, 0, 'failed', NEW.queue, NEW.type, NEW.payload);
                    RETURN NULL;
                END $$
                """);
        rooms.execute(
                "CREATE TRIGGER die_again AFTER INSERT ON rowlock.waiting FOR EACH ROW EXECUTE FUNCTION die_again()");

        try {
            long redriven = admin.redriveAll(Rooms.QUEUE);

            assertThat(redriven).isEqualTo(2_500);
        } finally {
            rooms.execute("DROP TRIGGER die_again ON rowlock.waiting");
        }
    }

    @Test
    void discardedJobsAreGoneForGood() {
        manyDead(2_500, Rooms.QUEUE);
        manyDead(2, "print");
        long one = rooms.number("SELECT min(id) FROM rowlock.dead WHERE queue = 'print'");

        assertThat(admin.discard(one)).isTrue();
        assertThat(admin.discard(one)).isFalse();
        assertThat(admin.discardAll(Rooms.QUEUE)).isEqualTo(2_500);

        assertThat(rooms.count("dead")).isEqualTo(1);
        assertThat(rooms.number("SELECT sum(jobs) FROM rowlock.dropped WHERE room = 'dead'"))
                .isEqualTo(2_501);
    }

    // Pause

    @Test
    void aPauseIsVisibleUntilTheQueueIsResumedAndNodesHearOfBoth() {
        admin.pause("mail");
        admin.pause("print");
        assertThat(admin.pausedQueues()).containsExactlyInAnyOrder("mail", "print");

        admin.resume("mail");
        assertThat(admin.pausedQueues()).containsExactly("print");
        assertThat(wakeups.heard()).containsExactly("attention", "attention", "attention");
    }

    @Test
    void anInvalidQueueNameIsRefused() {
        assertThatThrownBy(() -> admin.pause("no spaces")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.redriveAll("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.redriveAll(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("queue name is null");
        assertThatThrownBy(() -> admin.discardAll(null)).isInstanceOf(IllegalArgumentException.class);
    }

    static Stream<Consumer<JobAdmin>> changes() {
        return Stream.of(
                admin -> admin.cancel(1),
                admin -> admin.redrive(1),
                admin -> admin.redriveAll("mail"),
                admin -> admin.discard(1),
                admin -> admin.discardAll("mail"),
                admin -> admin.pause("mail"),
                admin -> admin.resume("mail"));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void nothingIsChangedInAReadOnlyTransaction(Consumer<JobAdmin> change) {
        transaction.setReadOnly(true);

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> change.accept(admin)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("read-only");
    }

    private void manyDead(int jobs, String queue) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'failed', '%s', 'send', '{}'
                  FROM generate_series(1, %d)
                """.formatted(queue, jobs));
    }
}
