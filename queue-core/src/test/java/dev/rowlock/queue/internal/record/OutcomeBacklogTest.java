package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutcomeBacklogTest {

    private static final int QUARTER = (int) OutcomeBacklog.MANY_RESULTS / 4;

    private final OutcomeBacklog unwritten = new OutcomeBacklog();

    private void add(int outcomes, int result) {
        IntStream.range(0, outcomes).forEach(i -> unwritten.add(result));
    }

    @Test
    void moreOutcomesThanTheBoundCountAsMany() {
        add(OutcomeBacklog.MANY, 0);
        assertThat(unwritten.many()).isFalse();

        add(1, 0);

        assertThat(unwritten.many()).isTrue();
        assertThat(unwritten.manyResults()).isFalse();
    }

    @Test
    void outcomesThatWaitApartDoNotCountUpToAsManyAgain() {
        add(2 * OutcomeBacklog.MANY, 0);
        assertThat(unwritten.many()).isTrue();

        unwritten.apart(OutcomeBacklog.MANY, 0);
        assertThat(unwritten.many()).isFalse();

        unwritten.apart(2 * OutcomeBacklog.MANY, 0);
        add(1, 0);
        assertThat(unwritten.many()).isTrue();
    }

    @Test
    void resultsThatWaitApartDoNotCountUpToAsManyAgain() {
        add(8, QUARTER);
        assertThat(unwritten.manyResults()).isTrue();

        unwritten.apart(4, OutcomeBacklog.MANY_RESULTS);
        assertThat(unwritten.manyResults()).isFalse();
        assertThat(unwritten.many()).isFalse();

        unwritten.apart(8, 2 * OutcomeBacklog.MANY_RESULTS);
        add(1, QUARTER);
        assertThat(unwritten.manyResults()).isTrue();
        assertThat(unwritten.many()).isTrue();
    }

    @Test
    void aResultThatIsGivenUpLeavesRoom() {
        add(5, QUARTER);

        unwritten.removeResult(QUARTER);

        assertThat(unwritten.manyResults()).isFalse();
        assertThat(unwritten.outcomes()).isEqualTo(5);
    }
}
