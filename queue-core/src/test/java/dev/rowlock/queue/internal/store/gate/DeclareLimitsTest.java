package dev.rowlock.queue.internal.store.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What nodes declare, and what is set at run time. */
@PostgresTest(freshPerTest = true, migrated = true)
class DeclareLimitsTest {

    private static final QueueLimit TWO = QueueLimit.of("mail").maxRunning(2);
    private static final QueueLimit FIVE = QueueLimit.of("mail").maxRunning(5);

    private final Rooms rooms;
    private final DeclareLimits declare;
    private final QueueLimits limits;

    DeclareLimitsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        declare = new DeclareLimits(rooms.database());
        limits = Rowlock.builder(database.dataSource()).build().limits();
    }

    @Test
    void theNodeThatStartsLastDecides() {
        assertThat(declare.anew(List.of(TWO), List.of("mail"))).containsExactly("mail");
        assertThat(declare.anew(List.of(FIVE), List.of("mail"))).containsExactly("mail");

        assertThat(declare.again(List.of(TWO))).isEmpty();

        assertThat(limits.all()).containsExactly(FIVE);
    }

    @Test
    void aLimitThatNobodyDeclaresAnyMoreIsGoneWhenANodeOfTheQueueStarts() {
        declare.anew(List.of(TWO), List.of("mail"));

        assertThat(declare.anew(List.of(), List.of("other"))).isEmpty();
        assertThat(limits.all()).containsExactly(TWO);
        assertThat(declare.anew(List.of(), List.of("mail"))).containsExactly("mail");

        assertThat(limits.all()).isEmpty();
    }

    @Test
    void whatIsSetAtRunTimeWinsUntilItIsRemoved() {
        declare.anew(List.of(TWO), List.of("mail"));
        limits.by("ann", "slow partner").set(FIVE);

        assertThat(declare.anew(List.of(TWO), List.of("mail"))).isEmpty();
        assertThat(limits.all()).containsExactly(FIVE);
        assertThat(limits.remove("mail")).isTrue();
        assertThat(limits.remove("mail")).isFalse();

        assertThat(declare.again(List.of(TWO))).containsExactly("mail");
        assertThat(limits.all()).containsExactly(TWO);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.audit WHERE who = 'ann' AND action = 'set limit'"))
                .isEqualTo(1);
    }

    @Test
    void withoutAChangeNoRowIsWritten() {
        declare.anew(List.of(TWO), List.of("mail"));

        assertThat(declare.anew(List.of(TWO), List.of("mail"))).isEmpty();
    }
}
