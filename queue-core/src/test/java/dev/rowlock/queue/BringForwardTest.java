package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.TimeRange;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(migrated = true)
class BringForwardTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobAdmin admin;
    private final TransactionTemplate transaction;

    BringForwardTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        admin = FrontDoors.admin(rooms.database(), wakeups);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
    }

    @Test
    void waitingJobsAreDueEarlierButNoneBeforeNowAndNodesHear() {
        long far = rooms.waiting(Due.after(HOUR.multipliedBy(3)));
        long near = rooms.waiting(Due.after(Duration.ofMinutes(10)));
        Instant dueAt = dueAt(far);

        assertThat(admin.by("ann", "clock").bringForward(JobFilter.all(), HOUR)).isEqualTo(2);

        assertThat(dueAt(far)).isEqualTo(dueAt.minus(HOUR));
        assertThat(rooms.truth(
                        "SELECT due_at BETWEEN now() - interval '1 min' AND now() FROM rowlock.waiting WHERE id = "
                                + near))
                .isTrue();
        assertThat(wakeups.heard()).containsExactly("waiting PT0S");
        assertThat(admin.audit(null, 10))
                .extracting(AuditEntry::who, AuditEntry::action, AuditEntry::detail, AuditEntry::jobs)
                .containsExactly(tuple("ann", "bring forward", "by PT1H", 2L));
    }

    @Test
    void whatHasWaitedSinceATimeToComeIsMovedOnce() {
        long before = rooms.waiting(Due.after(HOUR));
        setBack(HOUR);
        long after = rooms.waiting(Due.after(HOUR));
        Instant dueAt = dueAt(after);
        JobFilter enqueuedBefore = JobFilter.where().time(JobTime.ENQUEUED, TimeRange.from(now()));

        assertThat(admin.bringForward(enqueuedBefore, HOUR)).isEqualTo(1);

        assertThat(rooms.truth(
                        "SELECT due_at < now() + interval '1 h' AND enqueued_at <= now() FROM rowlock.waiting WHERE id = "
                                + before))
                .isTrue();
        assertThat(dueAt(after)).isEqualTo(dueAt);
        assertThat(admin.bringForward(enqueuedBefore, HOUR)).isZero();
    }

    @Test
    void moreJobsThanOneStatementLooksAtAreMovedEachOnce() {
        rooms.waiting(Collections.nCopies(11_000, Rooms.job(Due.after(HOUR.multipliedBy(3)))));

        assertThat(admin.bringForward(JobFilter.all(), HOUR)).isEqualTo(11_000);

        assertThat(
                        rooms.number(
                                "SELECT count(*) FROM rowlock.waiting WHERE due_at BETWEEN now() + interval '90 min' AND now() + interval '2 h'"))
                .isEqualTo(11_000);
    }

    @Test
    void whatWaitsForSomethingElseThanATimeStaysAsItIs() {
        for (String reason : List.of("once-more", "parents", "policy")) {
            long id = rooms.waiting(Due.after(HOUR));
            rooms.execute("UPDATE rowlock.waiting SET reason = '%s' WHERE id = %d".formatted(reason, id));
        }

        assertThat(admin.bringForward(JobFilter.all(), HOUR)).isZero();

        assertThat(rooms.number("SELECT count(*) FROM rowlock.waiting WHERE due_at > now() + interval '59 min'"))
                .isEqualTo(3);
        assertThat(admin.audit(null, 10)).isEmpty();
    }

    @Test
    void jobsThatTheFilterLeavesOutAndThoseThatSomebodyChangesStayAsTheyAre() throws Exception {
        long other = rooms.waiting(Due.after(HOUR));
        rooms.execute("UPDATE rowlock.waiting SET queue = 'other' WHERE id = " + other);
        long changed = rooms.waiting(Due.after(HOUR));
        rooms.waiting(Due.after(HOUR));

        try (OpenTransaction theirs = new OpenTransaction(rooms.database())) {
            theirs.database()
                    .joined(connection -> connection
                            .createStatement()
                            .execute("SELECT FROM rowlock.waiting WHERE id = %d FOR UPDATE".formatted(changed)));

            assertThat(admin.bringForward(JobFilter.where().queue(Rooms.QUEUE), HOUR))
                    .isEqualTo(1);
        }
    }

    @Test
    void allIsAsBeforeIfTheCallersTransactionRollsBack() {
        long id = rooms.waiting(Due.after(HOUR));
        Instant dueAt = dueAt(id);

        transaction.executeWithoutResult(status -> {
            assertThat(admin.bringForward(JobFilter.all(), HOUR)).isEqualTo(1);
            status.setRollbackOnly();
        });

        assertThat(dueAt(id)).isEqualTo(dueAt);
        assertThat(admin.audit(null, 10)).isEmpty();
        assertThat(wakeups.heard()).isEmpty();
    }

    @Test
    void aFilterWithoutConditionsAndATimeThatIsNoneAreRefused() {
        assertThatThrownBy(() -> admin.bringForward(JobFilter.where(), HOUR))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no condition");
        for (Duration none : List.of(Duration.ZERO, HOUR.negated(), Due.MAX_DELAY.plusMillis(1))) {
            assertThatThrownBy(() -> admin.bringForward(JobFilter.all(), none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("between 1ms and 36500d");
        }
    }

    /** As where the server's clock is set back now. */
    private void setBack(Duration by) {
        rooms.execute(
                "UPDATE rowlock.waiting SET due_at = due_at + interval '%1$s', enqueued_at = enqueued_at + interval '%1$s'"
                        .formatted(by));
    }

    private Instant now() {
        return rooms.sql("SELECT clock_timestamp()")
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }

    private Instant dueAt(long id) {
        return rooms.sql("SELECT due_at FROM rowlock.waiting WHERE id = " + id)
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }
}
