package dev.rowlock.queue.internal.claim.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentKeysTest {

    private static final long NEVER = 0;

    private long now = 1_000_000_000_000L;
    private final RecentKeys recent = new RecentKeys(Duration.ofMillis(200));

    @Test
    void keysThatBroughtJobsInTwoRoundsAreAskedAlone() {
        assertThat(round(true, "a", "b")).isFalse();
        assertThat(round(true, "a", "b")).isFalse();

        assertThat(round(true, "a", "b")).isTrue();
        assertThat(round(true, "a", "b")).isTrue();
    }

    @Test
    void oneThatBringsNothingIsAskedNoMoreUntilItIsFoundAgain() {
        round(true, "a", "b");
        round(true, "a", "b");
        round(true, "a");

        assertThat(recent.begin(NEVER, now)).isTrue();
        assertThat(behind("")).containsExactly("a");
    }

    @Test
    void oneWhoseJobsRunMayBeAtItsLimit() {
        round(true, "a", "b");
        round(true, "a", "b");

        assertThat(recent.begin(NEVER, now)).isTrue();
        recent.brought(List.of("a"), List.of("b", "c"), true);

        assertThat(recent.begin(NEVER, now)).isTrue();
        assertThat(behind("")).containsExactly("a", "b");
    }

    @Test
    void whereMoreThanAFewAreNewAllAreLookedFor() {
        String[] nine = IntStream.range(0, 9).mapToObj(i -> "k" + i).toArray(String[]::new);
        round(true, nine);
        String[] eleven = IntStream.range(0, 11).mapToObj(i -> "k" + i).toArray(String[]::new);

        round(true, eleven);
        assertThat(round(true, eleven)).isFalse();
        assertThat(round(true, eleven)).isTrue();
    }

    @Test
    void whereARoundBroughtNothingAllAreLookedFor() {
        round(true, "a");
        round(true, "a");
        assertThat(round(false)).isTrue();

        assertThat(round(true, "a")).isFalse();
    }

    @Test
    void onceThereIsWordOfJobsAllAreLookedFor() {
        round(false, "a");
        round(false, "a");
        assertThat(round(false, "a")).isTrue();

        assertThat(recent.begin(now, now)).isFalse();
    }

    @Test
    void whoHasAllHandsFullAsksRecentOnesOnceMore() {
        round(true, "a");
        round(true, "a");
        now++;
        long heard = now;

        assertThat(recent.begin(heard, now)).isTrue();
        recent.brought(List.of("a"), List.of(), true);
        assertThat(recent.begin(heard, now)).isFalse();
    }

    @Test
    void wordFromBeforeTheLastLookForAllIsNoNews() {
        long heard = now;
        now++;
        round(false, "a");
        round(false, "a");

        assertThat(recent.begin(heard, now)).isTrue();
    }

    @Test
    void afterAWhileAllAreLookedFor() {
        round(true, "a");
        round(true, "a");
        now += Duration.ofMillis(199).toNanos();
        assertThat(round(true, "a")).isTrue();
        assertThat(recent.alone(now)).isTrue();

        now += Duration.ofMillis(1).toNanos();

        assertThat(recent.alone(now)).isFalse(); // also within a round
        assertThat(round(true, "a")).isFalse();
    }

    @Test
    void aSecondIsTheLongestWhile() {
        RecentKeys slow = new RecentKeys(Duration.ofMinutes(1));
        for (int i = 0; i < 3; i++) {
            slow.begin(NEVER, now);
            slow.brought(List.of("a"), List.of(), true);
        }
        assertThat(slow.alone(now + 999_999_999)).isTrue();

        assertThat(slow.alone(now + 1_000_000_000)).isFalse();
    }

    @Test
    void theyComeInTheirOrderBehindTheTurnAndOneMoreThanAskedFor() {
        round(true, "d", "b", "a", "c");
        round(true, "d", "b", "a", "c");
        recent.begin(NEVER, now);

        assertThat(behind("")).containsExactly("a", "b", "c");
        assertThat(behind("b")).containsExactly("c", "d");
        recent.brought(List.of("a", "b", "c"), List.of(), true);
        assertThat(behind("c")).containsExactly("d");
    }

    @Test
    void whereThereAreTooManyEachRoundLooksForAll() {
        String[] many =
                IntStream.rangeClosed(0, RecentKeys.MOST).mapToObj(i -> "k" + i).toArray(String[]::new);
        round(true, many);
        round(true, many);

        assertThat(recent.begin(NEVER, now)).isFalse();
    }

    /** A round that brings jobs of these keys. Returns whether it asked recent ones alone. */
    private boolean round(boolean full, String... keys) {
        boolean alone = recent.begin(NEVER, now);
        recent.brought(List.of(keys), List.of(), full);
        return alone;
    }

    private List<String> behind(String key) {
        return recent.behind(key.isEmpty() ? Turn.FIRST : new Turn(key, 0, true), 2);
    }
}
