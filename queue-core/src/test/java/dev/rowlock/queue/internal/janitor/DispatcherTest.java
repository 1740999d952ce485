package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

@PostgresTest(migrated = true)
class DispatcherTest {

    private static final Due NOW = Due.after(Duration.ZERO);

    private final Rooms rooms;
    private final RecordedWakeups others = new RecordedWakeups();
    private final Dispatcher dispatcher;
    private Place place = Place.ALONE;

    DispatcherTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        dispatcher = new Dispatcher(new DispatchDueJobs(rooms.database()), others, Duration.ofMinutes(10), () -> place);
    }

    @Test
    void aDispatcherThatMovesDueJobsTellsTheOthersWhenTheNextOneIsDue() {
        rooms.waiting(NOW);
        rooms.waiting(Due.after(Duration.ofSeconds(30)));

        Duration rest = dispatcher.runOnce();

        assertThat(others.heard()).hasSize(2);
        assertThat(others.heard().get(0)).isEqualTo("1 ready in " + Rooms.QUEUE + " from rank 0");
        assertThat(others.heard().get(1)).matches("moved, next in PT([12]?\\d|30)(\\.\\d+)?S");
        assertThat(rest).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
    }

    /** Otherwise a job that becomes due waits for a search for all keys. */
    @Test
    void theKeysOfDueJobsAreNamedUnlessThereAreMany() {
        waiting("few", 3);
        waiting("many", 20);

        dispatcher.runOnce();

        assertThat(others.heard())
                .contains("key 0 in few", "key 1 in few", "key 2 in few", "keys in many")
                .noneMatch(heard -> heard.matches("keys in few|key .* in many"));
    }

    private void waiting(String queue, int keys) {
        rooms.unique(IntStream.range(0, keys)
                .mapToObj(i -> new NewJob(queue, "send", 0, NOW, null, null, "{}", null, "" + i, null))
                .toList());
    }

    @Test
    void aDispatcherThatFindsNothingTellsNobody() {
        dispatcher.runOnce();

        assertThat(others.heard()).isEmpty();
    }

    @Test
    void theFirstNodeToLookForAnAnnouncedJobTellsTheOthersThatThereIsNone() {
        dispatcher.runOnce();

        lookForAnAnnouncedJob(Place.ALONE);
        lookForAnAnnouncedJob(new Place(3, 1));
        assertThat(others.heard()).isEmpty();

        lookForAnAnnouncedJob(new Place(3, 0));
        assertThat(others.heard()).containsExactly("moved, next in null");
    }

    private void lookForAnAnnouncedJob(Place from) {
        place = from;
        dispatcher.waitingElsewhere(Duration.ofMinutes(-1));
        dispatcher.runOnce();
    }

    @Test
    void theDispatcherDoesNotLookUntilItMust() {
        dispatcher.runOnce();
        rooms.waiting(NOW);

        dispatcher.runOnce();
        assertThat(rooms.count("waiting")).isEqualTo(1);

        dispatcher.waitingHere(Duration.ZERO);
        dispatcher.runOnce();
        assertThat(rooms.count("waiting")).isZero();
    }

    @Test
    void theDispatcherDoesNotLookForJobsThatAnotherHasMoved() {
        dispatcher.runOnce();
        rooms.waiting(NOW); // only a sign whether it looks

        dispatcher.waitingElsewhere(Duration.ZERO);
        dispatcher.movedElsewhere(null);
        dispatcher.runOnce();

        assertThat(rooms.count("waiting")).isEqualTo(1);
    }

    @Test
    void theDispatcherLooksForJobsThatOthersMayBelieveItHasMoved() {
        rooms.waiting(NOW);
        dispatcher.runOnce();
        rooms.waiting(NOW);

        dispatcher.waitingElsewhere(Duration.ZERO);
        dispatcher.movedElsewhere(null);
        dispatcher.runOnce();
        assertThat(rooms.count("waiting")).isZero();

        others.looks().forEach(dispatcher::allHaveHeardOf);
        // It has looked behind the front, and soon looks from there. Then it rests.
        await().until(() -> dispatcher.runOnce().toMinutes() > 0);
        rooms.waiting(NOW); // only a sign whether it looks
        dispatcher.waitingElsewhere(Duration.ZERO);
        dispatcher.movedElsewhere(null);
        dispatcher.runOnce();
        assertThat(rooms.count("waiting")).isEqualTo(1);
    }

    @Test
    void moreJobsThanOneStatementMovesAreMovedWithoutARest() {
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, rank, queue, type, payload)
                SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), 'scheduled', 0, 'mail', 'send', '{}'
                  FROM generate_series(1, 1001)
                """);

        assertThat(dispatcher.runOnce()).isZero();
        assertThat(rooms.count("waiting")).isEqualTo(1);

        assertThat(dispatcher.runOnce()).isPositive();
        assertThat(rooms.count("waiting")).isZero();
    }

    @Test
    void theDispatcherLooksAgainAfterAFailure() {
        dispatcher.runOnce();
        rooms.waiting(NOW);
        dispatcher.waitingHere(Duration.ZERO);

        rooms.execute("ALTER TABLE rowlock.waiting RENAME TO gone");
        assertThatThrownBy(dispatcher::runOnce).isInstanceOf(DataAccessException.class);
        rooms.execute("ALTER TABLE rowlock.gone RENAME TO waiting");
        dispatcher.runOnce();

        assertThat(rooms.count("waiting")).isZero();
    }

    @Test
    void anAnnouncedJobThatBecomesVisibleAfterItWasDueIsMovedAtOnce() {
        rooms.waiting(NOW);
        dispatcher.runOnce();
        long late = rooms.waiting(NOW);
        rooms.execute("UPDATE rowlock.waiting SET due_at = due_at - interval '500 ms'");

        dispatcher.waitingElsewhere(Duration.ofMillis(-500));
        dispatcher.runOnce();

        assertThat(rooms.roomsOf(late)).containsExactly("ready");
    }

    @Test
    void anUnannouncedJobThatWasDueBeforeTheLastLookIsFoundFromTheFront() {
        rooms.waiting(Due.after(Duration.ofDays(1)));
        dispatcher.runOnce();
        long late = rooms.waiting(NOW);
        rooms.execute("UPDATE rowlock.waiting SET due_at = due_at - interval '1 h' WHERE id = " + late);

        Awaitility.await().until(() -> {
            dispatcher.waitingElsewhere(Duration.ZERO); // of another job
            dispatcher.runOnce();
            return rooms.count("ready") == 1;
        });

        assertThat(rooms.roomsOf(late)).containsExactly("ready");
    }
}
