package dev.rowlock.queue.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.history.Spans.Span;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SpansTest {

    /** Against sets of moments, which are slow and plainly right. */
    @Test
    void stretchesOfTimeAreCombinedLikeSetsOfMoments() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            Spans a = random(random);
            Spans b = random(random);
            BitSet both = moments(a);
            both.and(moments(b));
            BitSet without = moments(a);
            without.andNot(moments(b));

            assertThat(moments(a.and(b))).isEqualTo(both);
            assertThat(moments(a.minus(b))).isEqualTo(without);
        }
    }

    @Test
    @Timeout(30)
    void anHourOfTroubleCanBeTakenAway() {
        Spans troubles = Spans.of(IntStream.range(0, 100_000)
                .mapToObj(i -> new Span(2L * i, 2L * i + 1))
                .toList());

        assertThat(Spans.of(0, 200_000).minus(troubles).list()).hasSize(100_000);
        assertThat(Spans.of(0, 200_000).minus(troubles).longest()).isEqualTo(1);
    }

    private static Spans random(Random random) {
        return Spans.of(IntStream.range(0, random.nextInt(6))
                .mapToObj(i -> {
                    int from = random.nextInt(60);
                    return new Span(from, from + random.nextInt(12));
                })
                .toList());
    }

    private static BitSet moments(Spans spans) {
        BitSet moments = new BitSet();
        List<Span> list = spans.list();
        list.forEach(span -> moments.set((int) span.from(), (int) span.to()));
        return moments;
    }
}
