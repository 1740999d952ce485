package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.settings.FetchSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BufferTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final FetchSettings FETCH = new FetchSettings(Duration.ofSeconds(1), Duration.ofMillis(250), 100);

    private final Buffer buffer = new Buffer(4, FETCH);
    private long now = System.nanoTime();

    @BeforeEach
    void look() {
        buffer.takeLate(now);
    }

    @Test
    void someMayBeTakenOutOfTheMiddleInTheirOrder() {
        for (long id = 1; id <= 10; id++) {
            buffer.add(TestExecution.of(id));
        }

        var even = buffer.take(execution -> execution.job().id() % 2 == 0, 3);

        assertThat(even).extracting(execution -> execution.job().id()).containsExactly(2L, 4L, 6L);
        assertThat(buffer.size()).isEqualTo(7);
    }

    @Test
    void aFreeThreadTakesTheKindOfWhichFewerRunEachInItsOrder() {
        add(3);
        IntStream.rangeClosed(4, 6).forEach(id -> buffer.add(TestExecution.withKey(id)));

        List<Long> taken = Stream.generate(() -> buffer.poll(null))
                .limit(4)
                .map(execution -> execution.job().id())
                .toList();

        assertThat(taken).containsSubsequence(1L, 2L).containsSubsequence(4L, 5L);
        assertThat(buffer.poll(Kind.PLAIN).job().id()).isEqualTo(3);
        assertThat(buffer.poll(Kind.KEYED).job().id()).isEqualTo(6);
        assertThat(buffer.poll(Kind.KEYED)).isNull();
    }

    @Test
    void aChunkTakesAsManyOfOneKindAsOfTheOther() {
        add(10);
        IntStream.rangeClosed(11, 14).forEach(id -> buffer.add(TestExecution.withKey(id)));

        assertThat(keyed(buffer.take(execution -> true, 6))).isEqualTo(3);
        assertThat(keyed(buffer.take(execution -> true, 6))).isOne();
    }

    private static long keyed(List<Execution> some) {
        return some.stream()
                .filter(execution -> Kind.of(execution.job()) == Kind.KEYED)
                .count();
    }

    @Test
    void jobsBehindHandlersThatDoNotEndAreLate() {
        add(3);
        now += SECOND;

        assertThat(buffer.takeLate(now)).hasSize(3);
        assertThat(buffer.takeLate(now)).isEmpty();
    }

    @Test
    void jobsClaimedAMomentAgoAreNotLate() {
        add(3);
        now += SECOND / 2 - 1;

        assertThat(buffer.takeLate(now)).isEmpty();
        now += 1;
        assertThat(buffer.takeLate(now)).hasSize(3);
    }

    @Test
    void jobsThatWouldBeginSoonStayInTheirOrder() throws InterruptedException {
        add(100);
        begin(50);
        now += SECOND; // 50 a second, 25 in half a second

        List<Execution> late = buffer.takeLate(now);

        assertThat(late).hasSize(25);
        assertThat(late.get(0).job().id()).isEqualTo(76);
        assertThat(buffer.poll(null).job().id()).isEqualTo(51);
    }

    @Test
    void thePaceIsMeasuredSinceTheLastLook() throws InterruptedException {
        add(100);
        begin(90);
        now += SECOND;
        assertThat(buffer.takeLate(now)).isEmpty();

        now += SECOND; // in which none began

        assertThat(buffer.takeLate(now)).hasSize(10);
    }

    @Test
    void jobsTakenOutDoNotCountAsBegun() {
        add(50);
        assertThat(buffer.takeAll()).hasSize(50);
        add(20);
        now += SECOND;

        assertThat(buffer.takeLate(now)).hasSize(20);
        add(10);
        now += SECOND;

        assertThat(buffer.takeLate(now)).hasSize(10);
    }

    @Test
    void aJobWaitsForTwoHorizonsOrHalfASecondAndAMomentAtMost() {
        FetchSettings far = new FetchSettings(Duration.ofSeconds(1), Duration.ofSeconds(5), 100);

        assertThat(Buffer.longestWait(FETCH)).isEqualTo(Duration.ofMillis(2_500));
        assertThat(Buffer.longestWait(far)).isEqualTo(Duration.ofSeconds(12));
    }

    private void add(int jobs) {
        for (int id = 1; id <= jobs; id++) {
            buffer.add(TestExecution.of(id, now));
        }
    }

    private void begin(int jobs) throws InterruptedException {
        for (int i = 0; i < jobs; i++) {
            buffer.poll(null);
        }
    }
}
