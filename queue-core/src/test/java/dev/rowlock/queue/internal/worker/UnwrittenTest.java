package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UnwrittenTest {

    private static final int QUARTER = (int) Unwritten.MANY_RESULTS / 4;

    private final Unwritten unwritten = new Unwritten();

    private void add(int outcomes, int result) {
        IntStream.range(0, outcomes).forEach(i -> unwritten.add(result));
    }

    @Test
    void moreOutcomesThanTheBoundAreMany() {
        add(Unwritten.MANY, 0);
        assertThat(unwritten.many()).isFalse();

        add(1, 0);

        assertThat(unwritten.many()).isTrue();
        assertThat(unwritten.manyResults()).isFalse();
    }

    @Test
    void outcomesThatWaitApartDoNotCountUpToAsManyAgain() {
        add(2 * Unwritten.MANY, 0);
        assertThat(unwritten.many()).isTrue();

        unwritten.apart(Unwritten.MANY, 0);
        assertThat(unwritten.many()).isFalse();

        unwritten.apart(2 * Unwritten.MANY, 0);
        add(1, 0);
        assertThat(unwritten.many()).isTrue();
    }

    @Test
    void resultsThatWaitApartDoNotCountUpToAsManyAgain() {
        add(8, QUARTER);
        assertThat(unwritten.manyResults()).isTrue();

        unwritten.apart(4, Unwritten.MANY_RESULTS);
        assertThat(unwritten.manyResults()).isFalse();
        assertThat(unwritten.many()).isFalse();

        unwritten.apart(8, 2 * Unwritten.MANY_RESULTS);
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
