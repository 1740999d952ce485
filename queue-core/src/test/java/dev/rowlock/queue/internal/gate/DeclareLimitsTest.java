package dev.rowlock.queue.internal.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What nodes declare, and what is set at run time. */
@PostgresTest(migrated = true)
class DeclareLimitsTest {

    private static final QueueLimit TWO = QueueLimit.of("mail").maxRunning(2);
    private static final QueueLimit FIVE = QueueLimit.of("mail").maxRunning(5);

    private final Rooms rooms;
    private final DeclareLimits declare;
    private final QueueLimits limits;
    private final long node;

    DeclareLimitsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        declare = new DeclareLimits(rooms.database());
        node = rooms.node();
        limits = Rowlock.builder(database.dataSource()).build().limits();
    }

    @Test
    void theNodeThatStartsLastDecides() {
        assertThat(declare.anew(List.of(TWO), List.of("mail"))).containsExactly("mail");
        assertThat(declare.anew(List.of(FIVE), List.of("mail"))).containsExactly("mail");

        assertThat(declare.again(List.of(TWO), node)).isEmpty();

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
    void whatIsSetAtRunTimeWinsUntilItIsRemovedAndThenTheDeclaredLimitHoldsAtOnce() {
        declare.anew(List.of(TWO), List.of("mail"));
        limits.by("ann", "slow partner").set(FIVE);

        assertThat(declare.anew(List.of(TWO), List.of("mail"))).isEmpty();
        assertThat(limits.all()).containsExactly(FIVE);
        assertThat(limits.remove("mail")).isTrue();

        assertThat(limits.all()).containsExactly(TWO);
        assertThat(limits.remove("mail")).isFalse();
        assertThat(limits.all()).containsExactly(TWO);
        assertThat(declare.anew(List.of(FIVE), List.of("mail"))).containsExactly("mail"); // so it is declared again
        assertThat(rooms.number("SELECT count(*) FROM rowlock.audit WHERE who = 'ann' AND action = 'set limit'"))
                .isEqualTo(1);
    }

    @Test
    void whatIsDeclaredMeanwhileHoldsAfterTheRemoval() {
        QueueLimit all = new QueueLimit("mail", 6, 2, 4, Rate.perMinute(100).burst(20), Rate.perSecond(5), null);
        declare.anew(List.of(TWO), List.of("mail"));
        limits.set(FIVE);

        declare.anew(List.of(all), List.of("mail"));
        declare.again(List.of(TWO), node);

        assertThat(limits.all()).containsExactly(FIVE);
        limits.remove("mail");
        assertThat(limits.all()).containsExactly(all);
    }

    @Test
    void whatNobodyDeclaresAnyMoreDoesNotComeBackAfterTheRemoval() {
        declare.anew(List.of(TWO), List.of("mail"));
        limits.set(FIVE);

        declare.anew(List.of(), List.of("mail"));

        assertThat(limits.remove("mail")).isTrue();
        assertThat(limits.all()).isEmpty();
    }

    /** A node of the version before overrides the row and knows no second limit. */
    @Test
    void aLimitThatAnOldNodeHasOverriddenIsKnownAgainWithinAMinute() {
        declare.anew(List.of(TWO), List.of("mail"));
        rooms.execute("UPDATE rowlock.queue_limit SET max_running = 5, declared = false");

        declare.again(List.of(TWO), node);

        limits.remove("mail");
        assertThat(limits.all()).containsExactly(TWO);
    }

    @Test
    void aChangeKeepsWhatItDoesNotName() {
        declare.anew(List.of(TWO.inOrder(AfterFailure.HOLD)), List.of("mail"));

        QueueLimit changed = limits.change("mail", limit -> limit.maxRunning(5));

        assertThat(changed).isEqualTo(FIVE.inOrder(AfterFailure.HOLD));
        assertThat(limits.find("mail")).contains(changed);
        assertThat(limits.find("other")).isEmpty();
        assertThat(limits.change("other", limit -> limit.maxRunning(1)))
                .isEqualTo(QueueLimit.of("other").maxRunning(1));
        assertThatThrownBy(() -> limits.change("mail", limit -> QueueLimit.of("other")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be about queue 'other'");
        assertThat(limits.find("mail")).contains(changed);
    }

    @Test
    void aNodeThatIsStillThereDoesNotBringBackWhatALaterOneDoesNotDeclareAnyMore() {
        declare.anew(List.of(TWO), List.of("mail"));
        long later = rooms.node();
        declare.anew(List.of(), List.of("mail"));

        assertThat(declare.again(List.of(TWO), node)).isEmpty();

        assertThat(limits.all()).isEmpty();
        rooms.declareDead(later);
        assertThat(declare.again(List.of(TWO), node)).containsExactly("mail");
    }

    @Test
    void withoutAChangeNoRowIsWritten() {
        declare.anew(List.of(TWO), List.of("mail"));

        assertThat(declare.anew(List.of(TWO), List.of("mail"))).isEmpty();
    }
}
