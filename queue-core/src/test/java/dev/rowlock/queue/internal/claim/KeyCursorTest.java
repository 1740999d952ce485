package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Known;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.claim.KeyedBatch.Claimed;
import dev.rowlock.queue.internal.claim.KeyedBatch.Learned;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.job.ClaimedJobs;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyCursorTest {

    private static final long RULE = 7;
    private static final Duration TOOK = Duration.ofMillis(1);

    private long now = System.nanoTime();
    private final KeyCursor cursor = new KeyCursor(chance -> 0.05, now);

    @Test
    void keysThatBringJobsInTwoRoundsInARowAreAskedInTheOrderOfTheirCharacters() {
        String[] keys = {"é", "z", "\uFFFD", "\uD83D\uDE00", "za"};
        walk(TOOK, keys);
        assertThat(cursor.knowsAny()).isFalse();

        walk(TOOK, keys);

        assertThat(cursor.knowsAny()).isTrue();
        assertThat(behind("")).extracting(Known::key).containsExactly("z", "za", "é", "\uFFFD", "\uD83D\uDE00");
    }

    @Test
    void aClaimGetsThoseBehindItsTurn() {
        walk(TOOK, "a", "b", "c", "d");
        walk(TOOK, "a", "b", "c", "d");

        Keys two = cursor.behind(new Look("a", 0, true), 2, now);
        assertThat(two.known()).extracting(Known::key).containsExactly("b", "c");
        assertThat(two.more()).isTrue();
        Keys rest = cursor.behind(new Look("b", 3, true), 3, now);
        assertThat(rest.known()).extracting(Known::key).containsExactly("b", "c", "d");
        assertThat(rest.more()).isFalse();
    }

    @Test
    void aKeyThatBringsNothingInTwoRoundsIsAskedNoMore() {
        walk(TOOK, "a", "b");
        walk(TOOK, "a", "b");

        known("a");
        assertThat(behind("")).hasSize(2);
        known("a");

        assertThat(behind("")).extracting(Known::key).containsExactly("a");
    }

    @Test
    void aKeyWhoseJobsRunMayBeAtItsLimitAndIsAskedOn() {
        walk(TOOK, "a", "b");
        walk(TOOK, "a", "b");

        for (int i = 0; i < 5; i++) {
            learn(learned(RULE, Map.of("a", claimed(1)), Map.of("b", 99L)), false);
            cursor.roundIsOver(false, false, now);
        }

        assertThat(behind("")).extracting(Known::key).containsExactly("a", "b");
    }

    @Test
    void aKeyOfWhichThereWasWordIsAskedInTheNextRound() {
        assertThat(cursor.name("new")).isTrue();
        assertThat(cursor.named()).isTrue();

        cursor.addNamed();

        assertThat(cursor.named()).isFalse();
        assertThat(behind("")).containsExactly(Known.fromFront("new"));
    }

    @Test
    void noMoreThanSomeKeysAreRememberedOfWhichThereWasWord() {
        IntStream.range(0, KeyCursor.MOST_NAMED)
                .forEach(i -> assertThat(cursor.name("k" + i)).isTrue());

        assertThat(cursor.name("one more")).isFalse();
        assertThat(cursor.name("k0")).isTrue();
        assertThat(cursor.takeNamed(10)).hasSize(10);
        assertThat(cursor.name("one more")).isTrue();
    }

    /** While the jobs of other keys end and begin, there is always word of more keys than a claim has room for. */
    @Test
    void keysThatHaveHadNoTurnComeBeforeThoseOfWhichThereWasWordSince() {
        cursor.name("new");
        cursor.name("newer");
        List<String> asked = cursor.takeNamed(10);
        cursor.name("ended meanwhile");
        cursor.name("newer");

        cursor.nameFirst(asked);

        assertThat(cursor.takeNamed(10)).containsExactly("new", "newer", "ended meanwhile");
    }

    @Test
    void whereThereAreTooManyKeysEachRoundWalks() {
        String[] many =
                IntStream.rangeClosed(0, KeyCursor.MOST).mapToObj(i -> "k" + i).toArray(String[]::new);
        walk(TOOK, many);
        walk(TOOK, many);

        assertThat(cursor.knowsAny()).isFalse();
    }

    @Test
    void onlyABusyKeyIsAskedBehindItsLastJob() {
        walk(TOOK, "a");
        walk(TOOK, "a");
        assertThat(behind("")).containsExactly(new Known("a", Short.MIN_VALUE, 0, 100));

        learn(learned(RULE, Map.of("a", new Claimed(40, 0, 50, 110)), Map.of()), false);

        assertThat(behind("")).containsExactly(new Known("a", 0, 50, 110));
    }

    @Test
    void aPositionStaysWithinTheMostUrgentRankUntilAWalkHasFoundNothingThere() {
        busy(new Claimed(40, -1, 10, 100));

        learn(learned(RULE, Map.of("a", new Claimed(3, 5, 4, 110)), Map.of()), false);
        assertThat(behind("")).containsExactly(new Known("a", -1, 10, 110));
        learn(learned(RULE, Map.of("a", new Claimed(3, -1, 12, 120)), Map.of()), false);
        assertThat(behind("")).containsExactly(new Known("a", -1, 12, 120));
        learn(learned(RULE, Map.of("a", new Claimed(3, 5, 6, 130)), Map.of()), true);

        assertThat(behind("")).containsExactly(new Known("a", 5, 6, 130));
    }

    @Test
    void aKeyOfWhichThereWasWordIsAskedFromItsFrontWhereWalksAreQuick() {
        busy(new Claimed(40, 0, 10, 100));

        assertThat(cursor.of(List.of("a"), now).known()).containsExactly(new Known("a", Short.MIN_VALUE, 0, 100));
    }

    @Test
    void tokensAreForgottenWithTheRuleAndPositionsAreNot() {
        busy(new Claimed(40, 0, 10, 100));
        learn(new Learned(RULE, RULE, Map.of(), Map.of("a", 99L), 98L), false);
        assertThat(behind("")).containsExactly(new Known("a", 0, 10, 99));
        assertThat(cursor.walk(now)).matches(keys -> keys.token() == 98 && keys.rule() == RULE);

        learn(new Learned(RULE + 1, RULE + 1, Map.of(), Map.of(), null), false);

        assertThat(behind("")).containsExactly(new Known("a", 0, 10, 0));
        assertThat(cursor.walk(now)).matches(keys -> keys.token() == 0 && keys.rule() == RULE + 1);
    }

    @Test
    void whileARuleIsYoungNoTokensAreRemembered() {
        busy(new Claimed(40, 0, 10, 100));

        learn(new Learned(null, RULE, Map.of("a", new Claimed(1, 0, 11, 101)), Map.of("a", 90L), 90L), false);

        assertThat(behind("")).containsExactly(new Known("a", 0, 11, 0));
        assertThat(cursor.walk(now).token()).isZero();
    }

    @Test
    void thatThereIsNoRuleIsKnown() {
        assertThat(cursor.walk(now).rule()).isEqualTo(Keys.ANY_RULE);

        learn(new Learned(null, null, Map.of(), Map.of(), null), true);

        assertThat(cursor.walk(now).rule()).isEqualTo(Keys.NO_RULE);
    }

    @Test
    void whatWalksCostMoreThanOtherRoundsIsAShareOfTheTime() {
        walk(TOOK, "a");
        walk(TOOK, "a");
        known("a"); // takes as long
        assertThat(cursor.walkIn(false, false, now)).isZero();

        for (int i = 0; i < 6; i++) { // a single slow one may be a stall
            walk(Duration.ofMillis(101), "a");
        }

        assertThat(cursor.walkIn(false, false, now)).isBetween(Duration.ofMillis(1_800), Duration.ofMillis(2_000));
        assertThat(cursor.walkIn(true, false, now)).isGreaterThan(Duration.ofMillis(1_800));
        assertThat(cursor.walkIn(false, true, now)).isBetween(Duration.ofMillis(250), Duration.ofMillis(310));
        now += Duration.ofSeconds(2).toNanos();
        assertThat(cursor.walkIn(false, false, now)).isZero();
    }

    @Test
    void oneSlowRoundThatDoesNotWalkLetsNotAllOthersWalk() {
        walk(TOOK, "a");
        walk(TOOK, "a");
        round(false, Duration.ofSeconds(1), "a");
        walk(Duration.ofMillis(100), "a");

        for (int i = 0; i < 6; i++) {
            walk(Duration.ofMillis(200), "a");
        }

        assertThat(cursor.walkIn(false, false, now)).isPositive();
    }

    @Test
    void whoHasNothingElseToDoWalksWhereThatIsQuick() {
        walk(TOOK, "a");
        walk(TOOK, "a");
        known("a");

        walk(Duration.ofMillis(4), "a");

        assertThat(cursor.walkIn(true, false, now)).isZero();
        assertThat(cursor.walkIn(false, false, now)).isPositive();
    }

    @Test
    void nobodyCountsAllThatRunsMoreOftenThanTenTimesASecond() {
        assertThat(cursor.walk(now).recount()).isTrue();
        assertThat(cursor.behind(Look.FIRST, 5, now).recount()).isFalse();
        now += Duration.ofMillis(100).toNanos();
        assertThat(cursor.behind(Look.FIRST, 5, now).recount()).isTrue();
    }

    @Test
    void theTokenOfTheQueueIsLookedForAgainEachMinute() {
        learn(new Learned(RULE, RULE, Map.of(), Map.of(), 98L), true);
        assertThat(cursor.walk(now).token()).isEqualTo(98);

        now += Duration.ofMinutes(1).toNanos();
        assertThat(cursor.behind(Look.FIRST, 5, now).token()).isZero();
        learn(new Learned(RULE, RULE, Map.of(), Map.of(), 97L), false);

        assertThat(cursor.walk(now).token()).isEqualTo(97);
    }

    /** {@code a}, after two rounds. */
    private void busy(Claimed claimed) {
        walk(TOOK, "a");
        walk(TOOK, "a");
        learn(learned(RULE, Map.of("a", claimed), Map.of()), false);
    }

    private void walk(Duration took, String... keys) {
        cursor.walks();
        round(true, took, keys);
    }

    private void known(String... keys) {
        round(false, TOOK, keys);
    }

    private void round(boolean walked, Duration took, String... keys) {
        Map<String, Claimed> claimed = new HashMap<>();
        for (String key : keys) {
            claimed.put(key, claimed(1));
        }
        cursor.learn(batch(learned(RULE, claimed, Map.of()), took), walked, List.of());
        cursor.roundIsOver(walked, walked, now);
    }

    private static Claimed claimed(long id) {
        return new Claimed(1, 0, id, 100);
    }

    private static Learned learned(long rule, Map<String, Claimed> claimed, Map<String, Long> lowest) {
        return new Learned(rule, rule, claimed, lowest, null);
    }

    private void learn(Learned learned, boolean walked) {
        cursor.learn(batch(learned, TOOK), walked, List.of());
    }

    private static KeyedBatch batch(Learned learned, Duration took) {
        long jobs = learned.claimed().values().stream().mapToInt(Claimed::jobs).sum();
        return batch(jobs, took, learned);
    }

    private static KeyedBatch batch(long jobs, Duration took, Learned learned) {
        Batch batch = new Batch(
                LongStream.rangeClosed(1, jobs)
                        .mapToObj(id -> ClaimedJobs.withKey(id, "any"))
                        .toList(),
                null,
                null,
                took,
                true);
        @Nullable Look next = null;
        return new KeyedBatch(
                batch, jobs, next, Stop.NONE, true, false, 0, null, List.of(), false, false, 200, learned);
    }

    private List<Known> behind(String key) {
        return cursor.behind(key.isEmpty() ? Look.FIRST : new Look(key, 0, true), 1_000, now)
                .known();
    }
}
