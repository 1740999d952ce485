package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.Kind;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KindSharesTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private long now = 1;

    /** Threads, and how long jobs without keys and with keys take, in milliseconds. */
    @ParameterizedTest
    @CsvSource({
        "10,5,5",
        "10,5,50",
        "10,50,5",
        "10,5,300",
        "10,10000,5",
        "4,1,1000",
        "3,5,5",
        "3,300,5",
        "2,1,10000",
        "1,5,5",
        "1,5,50",
        "1,10000,5"
    })
    void eachKindHasHalfOfTheThreadTimeWhileBothHaveABacklog(int threads, long plainMillis, long keyedMillis) {
        Simulation jobs = new Simulation(threads, plainMillis, keyedMillis, 0);

        jobs.run(40 * Math.max(plainMillis, keyedMillis) * MILLI);

        assertThat(jobs.keyedPart()).isBetween(0.45, 0.55);
    }

    /** Each time that threads have begun the jobs with keys which there are, others come a moment later: meanwhile free threads take those without. */
    @ParameterizedTest
    @CsvSource({"10,5,5", "10,100,100", "2,100,100", "1,50,5"})
    void theKindOfWhichThereIsNoneForAMomentMakesUpForIt(int threads, long plainMillis, long keyedMillis) {
        Simulation jobs = new Simulation(threads, plainMillis, keyedMillis, 4 * MILLI);

        jobs.run(60 * SECOND);

        assertThat(jobs.keyedPart()).isBetween(0.45, 0.55);
    }

    @Test
    void aKindThatIsFarBehindLeavesAQuarterOfTheThreadsToTheOther() {
        KindShares shares = behindByMuch(8);

        assertThat(shares.share(Kind.KEYED)).isEqualTo(6);
        assertThat(shares.share(Kind.PLAIN)).isEqualTo(2);
    }

    @Test
    void aKindThatHadNoBacklogForASecondIsOwedNothing() {
        KindShares shares = behindByMuch(8);

        shares.contended(false);
        now += SECOND;
        shares.contended(true);

        assertThat(shares.share(Kind.KEYED)).isEqualTo(4);
    }

    @Test
    void aKindThatHadNoBacklogForAMomentIsOwedWhatItWas() {
        KindShares shares = behindByMuch(8);

        shares.contended(false);
        now += SECOND - 1;
        shares.contended(true);

        assertThat(shares.share(Kind.KEYED)).isEqualTo(6);
    }

    @Test
    void whatOneKindRunsWhileTheOtherHasNoBacklogIsNotHeldAgainstIt() {
        KindShares shares = KindShares.ofThreads(2, () -> now);
        shares.begin(Kind.PLAIN);
        shares.begin(Kind.PLAIN);
        now += 100 * SECOND;

        shares.contended(true);

        assertThat(shares.share(Kind.KEYED)).isEqualTo(1);
    }

    @Test
    void aKindThatWasAheadIsNotBehindForEverOnceTheOtherHasNoBacklog() {
        KindShares shares = behindByMuch(1);

        shares.contended(false);
        shares.begin(Kind.KEYED);
        shares.end(Kind.KEYED);
        now += SECOND;

        assertThat(shares.share(Kind.PLAIN)).isEqualTo(shares.share(Kind.KEYED));
    }

    @Test
    void placesThatOneKindHadForAMomentAreMadeUpForAtOnce() {
        KindShares places = KindShares.ofPlaces(4, () -> now);
        places.contended(true);
        places.begin(Kind.PLAIN);
        places.begin(Kind.PLAIN);
        now += 5 * MILLI;
        places.end(Kind.PLAIN);
        places.end(Kind.PLAIN);

        places.begin(Kind.KEYED);

        assertThat(places.behind()).isEqualTo(Kind.KEYED);
    }

    private KindShares behindByMuch(int threads) {
        KindShares shares = KindShares.ofThreads(threads, () -> now);
        shares.contended(true);
        for (int i = 0; i < threads; i++) {
            shares.begin(Kind.PLAIN);
        }
        now += Duration.ofMinutes(1).toNanos();
        shares.end(Kind.PLAIN);
        return shares;
    }

    /** Threads that always find jobs of both kinds, or of those with keys now and then none. */
    private final class Simulation {

        private record Run(Kind kind, long end) {}

        private final KindShares shares;
        private final int threads;
        private final Map<Kind, Long> lasts = new EnumMap<>(Kind.class);
        private final Map<Kind, Long> had = new EnumMap<>(Kind.class);
        private final PriorityQueue<Run> running = new PriorityQueue<>(Comparator.comparingLong(Run::end));
        private final long gap;
        private long keyedAt;
        private int keyedLeft;

        /** @param gap jobs with keys come as many at a time as there are threads, so long after the last one has begun */
        Simulation(int threads, long plainMillis, long keyedMillis, long gap) {
            this.threads = threads;
            this.gap = gap;
            shares = KindShares.ofThreads(threads, () -> now);
            shares.contended(true);
            lasts.put(Kind.PLAIN, plainMillis * MILLI);
            lasts.put(Kind.KEYED, keyedMillis * MILLI);
        }

        void run(long nanos) {
            long end = now + nanos;
            while (now < end) {
                while (running.size() < threads) {
                    begin(now < keyedAt ? Kind.PLAIN : shares.behind());
                }
                Run first = running.remove();
                now = first.end();
                shares.end(first.kind());
            }
        }

        private void begin(Kind kind) {
            if (kind == Kind.KEYED && --keyedLeft <= 0) {
                keyedLeft = threads;
                keyedAt = now + gap;
            }
            shares.begin(kind);
            running.add(new Run(kind, now + lasts.get(kind)));
            had.merge(kind, lasts.get(kind), Long::sum);
        }

        double keyedPart() {
            return (double) had.get(Kind.KEYED) / (had.get(Kind.PLAIN) + had.get(Kind.KEYED));
        }
    }
}
