package dev.rowlock.queue.internal.enqueue;

import static dev.rowlock.queue.job.Enqueued.CREATED;
import static dev.rowlock.queue.job.Enqueued.REPLACED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.KeyHolderStartedException;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a request that replaces makes of the job that holds its key. */
class ReplacedJobsTest extends UniqueModesTest {

    ReplacedJobsTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void aReplacedJobHasTheNewPayloadAndAllNewOptionsAndKeepsItsId() {
        EnqueueResult first = ask("first", REPLACING, o -> LATER.apply(o).header("a", "1"));

        EnqueueResult second = ask(
                "second",
                REPLACING,
                o -> o.queue("bulk")
                        .priority(7)
                        .maxRetries(3)
                        .timeout(Duration.ofSeconds(9))
                        .header("b", "2")
                        .delay(Duration.ofHours(1)));

        assertThat(second).isEqualTo(new EnqueueResult(first.id(), REPLACED));
        assertThat(rooms.look(first.id()))
                .containsEntry("state", "waiting")
                .containsEntry("queue", "bulk")
                .containsEntry("priority", 7)
                .containsEntry("max_retries", (int) 3)
                .containsEntry("timeout_millis", 9_000L)
                .hasEntrySatisfying(
                        "headers",
                        headers ->
                                assertThat(headers.toString()).contains("\"b\"").doesNotContain("\"a\""));
        assertThat(payload(first.id())).isEqualTo("second");
        assertThat(due(first.id())).isEqualTo(Instant.parse("2026-11-22T11:00:00Z"));
    }

    @Test
    void aReplacedJobGoesToTheRoomThatItsNewDueTimeNames() {
        long id = ask("first", REPLACING).id();

        ask("second", REPLACING, LATER);
        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
        ask("third", REPLACING);
        assertThat(rooms.roomsOf(id)).containsExactly("ready");

        assertThat(payload(claim().id())).isEqualTo("third");
    }

    @Test
    void aReplacedJobThatStaysReadyKeepsItsPlaceInTheQueue() {
        long first = ask("first", REPLACING).id();
        clock.advance(Duration.ofSeconds(1));
        rooms.ready(1);
        clock.advance(Duration.ofSeconds(1));

        ask("second", REPLACING);

        assertThat(claim().id()).isEqualTo(first);
    }

    @Test
    void replacingARunningJobFailsAndChangesNothing() {
        long id = ask("first", REPLACING).id();
        claim();

        assertThatThrownBy(() -> ask("second", REPLACING))
                .isInstanceOfSatisfying(
                        KeyHolderStartedException.class,
                        e -> assertThat(e.jobId()).isEqualTo(id))
                .hasMessageContaining("job " + id)
                .hasMessageContaining("'doc-7'")
                .hasMessageContaining("onceMore()");
        assertThatThrownBy(() -> jobs.enqueueEach(List.of(
                        request("other", UniqueKey.of("free")), request("second", REPLACING), request("x", REPLACING))))
                .isInstanceOf(KeyHolderStartedException.class);

        assertThat(payload(id)).isEqualTo("first");
        assertThat(live()).isEqualTo(1);
    }

    @Test
    void replacingAJobThatIsTriedAgainFailsToo() {
        ask("first", REPLACING);
        retry(claim());

        assertThatThrownBy(() -> ask("second", REPLACING)).isInstanceOf(KeyHolderStartedException.class);
    }

    @Test
    void replacingWithAKeyUntilStartedNeverFails() {
        UniqueKey key = KEY.untilStarted().replacing();
        long first = ask("first", key).id();
        claim();

        EnqueueResult second = ask("second", key);
        EnqueueResult third = ask("third", key);

        assertThat(second.what()).isEqualTo(CREATED);
        assertThat(second.id()).isNotEqualTo(first);
        assertThat(third).isEqualTo(new EnqueueResult(second.id(), REPLACED));
        assertThat(payload(first)).isEqualTo("first");
        assertThat(payload(second.id())).isEqualTo("third");
    }

    @Test
    void largePayloadsAreReplacedAndLeaveNothingBehind() {
        String large = Rooms.letters(10_000);
        long id = ask("small", REPLACING).id();

        ask(large, REPLACING);
        assertThat(payload(id)).isEqualTo(large);
        assertThat(rooms.count("payload")).isEqualTo(1);
        ask(large + "2", REPLACING);
        assertThat(payload(id)).isEqualTo(large + "2");
        assertThat(rooms.truth("SELECT bytes = length(payload::text) FROM rowlock.payload"))
                .isTrue();
        ask("small again", REPLACING);

        assertThat(payload(id)).isEqualTo("small again");
        assertThat(rooms.count("payload")).isZero();
    }

    @Test
    void aRolledBackReplacementLeavesTheJobAsItWas() {
        long id = ask("first", REPLACING, LATER).id();
        List<?> before = rooms.everything();

        transaction.executeWithoutResult(status -> {
            assertThat(ask("second", REPLACING).what()).isEqualTo(REPLACED);
            status.setRollbackOnly();
        });

        assertThat(rooms.everything()).isEqualTo(before);
        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
    }
}
