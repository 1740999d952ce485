package dev.rowlock.queue.internal.claim.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.KnownKeys;
import dev.rowlock.queue.internal.store.claim.KnownKeys.Known;
import dev.rowlock.queue.internal.store.claim.LearnedKeys;
import dev.rowlock.queue.internal.store.claim.LearnedKeys.Claimed;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyMemoryTest {

    private static final long RULE = 7;

    private long now = 1_000_000_000_000L;
    private double nodes = 1;
    private final KeyMemory memory = new KeyMemory(chance -> 0.05 / nodes, now);

    @Test
    void onlyBusyKeysAreRemembered() {
        learn(RULE, "a", new Claimed(KeyMemory.FEW - 1, 0, 10, 100));
        assertThat(known()).isEmpty();

        learn(RULE, "a", new Claimed(1, 0, 11, 101));

        assertThat(known()).containsExactly(new Known("a", 0, 11, 101));
    }

    @Test
    void theyComeInTheOrderOfTheirCharacters() {
        for (String key : List.of("é", "z", "\uFFFD", "\uD83D\uDE00", "za")) {
            learn(RULE, key, claimed(1));
        }

        assertThat(known()).extracting(Known::key).containsExactly("z", "za", "é", "\uFFFD", "\uD83D\uDE00");
    }

    @Test
    void aClaimGetsThoseBehindItsTurn() {
        for (String key : List.of("a", "b", "c", "d")) {
            learn(RULE, key, claimed(1));
        }

        KnownKeys two = memory.from(new Turn("a", 0, true), 2, now);
        assertThat(two.keys()).extracting(Known::key).containsExactly("b", "c");
        assertThat(two.more()).isTrue();
        KnownKeys rest = memory.from(new Turn("b", 3, true), 3, now);
        assertThat(rest.keys()).extracting(Known::key).containsExactly("b", "c", "d");
        assertThat(rest.more()).isFalse();
    }

    @Test
    void aPositionStaysWithinTheMostUrgentRank() {
        learn(RULE, "a", new Claimed(KeyMemory.FEW, -1, 10, 100));

        learn(RULE, "a", new Claimed(3, 5, 4, 110));
        assertThat(known()).containsExactly(new Known("a", -1, 10, 110));
        learn(RULE, "a", new Claimed(3, -1, 12, 120));
        assertThat(known()).containsExactly(new Known("a", -1, 12, 120));
        memory.learn(learned(RULE, "a", new Claimed(3, 5, 6, 130)), true, now); // nothing more urgent is left

        assertThat(known()).containsExactly(new Known("a", 5, 6, 130));
    }

    @Test
    void thatThereIsNoRuleIsKnown() {
        assertThat(memory.fromFront(now).rule()).isEqualTo(KnownKeys.NONE.rule());

        memory.learn(new LearnedKeys(null, null, false, Map.of(), Map.of(), null), true, now);

        assertThat(memory.fromFront(now).rule()).isEqualTo(KnownKeys.NO_RULE);
    }

    @Test
    void tokensAreForgottenWithTheRuleAndPositionsAreNot() {
        learn(RULE, "a", new Claimed(KeyMemory.FEW, 0, 10, 100));
        memory.learn(new LearnedKeys(RULE, RULE, false, Map.of(), Map.of("a", 99L), 98L), false, now);
        assertThat(known()).containsExactly(new Known("a", 0, 10, 99));
        assertThat(memory.fromFront(now)).matches(known -> known.token() == 98 && known.rule() == RULE);

        memory.learn(new LearnedKeys(RULE + 1, RULE + 1, false, Map.of(), Map.of(), null), false, now);

        assertThat(known()).containsExactly(new Known("a", 0, 10, 0));
        assertThat(memory.fromFront(now)).matches(known -> known.token() == 0 && known.rule() == RULE + 1);
    }

    @Test
    void whileARuleIsYoungNoTokensAreRemembered() {
        memory.learn(
                new LearnedKeys(
                        null, RULE, false, Map.of("a", new Claimed(KeyMemory.FEW, 0, 10, 100)), Map.of("a", 90L), 90L),
                false,
                now);

        assertThat(known()).containsExactly(new Known("a", 0, 10, 0));
        assertThat(memory.fromFront(now).token()).isZero();
    }

    @Test
    void keysInOrderAreNotRemembered() {
        learn(RULE, "a", claimed(1));

        memory.learn(
                new LearnedKeys(RULE, RULE, true, Map.of("b", claimed(KeyMemory.FEW)), Map.of(), null), false, now);

        assertThat(known()).isEmpty();
    }

    @Test
    void looksFromTheFrontTakeAShareOfTheTime() {
        assertThat(memory.frontIn(false, now)).isZero(); // nothing is known
        learn(RULE, "a", claimed(1));

        lookedFromFrontFor(Duration.ofMillis(100));

        assertThat(memory.frontIn(false, now)).isBetween(Duration.ofMillis(1_800), Duration.ofMillis(2_000));
        assertThat(memory.frontIn(true, now)).isGreaterThan(Duration.ofMillis(1_800));
        now += Duration.ofSeconds(2).toNanos();
        assertThat(memory.frontIn(false, now)).isZero();
    }

    @Test
    void allNodesTogetherTakeIt() {
        learn(RULE, "a", claimed(1));
        nodes = 10;

        lookedFromFrontFor(Duration.ofMillis(100));

        assertThat(memory.frontIn(false, now)).isBetween(Duration.ofSeconds(19), Duration.ofSeconds(20));
    }

    @Test
    void whoHasNothingElseToDoMayLookFromTheFrontWhereThatIsQuick() {
        learn(RULE, "a", claimed(1));

        memory.lookedFromFront(Duration.ofMillis(2), now);

        assertThat(memory.frontIn(true, now)).isZero();
        assertThat(memory.frontIn(false, now)).isPositive();
    }

    @Test
    void whereLooksFromTheFrontAreQuickIdleKeysAreForgotten() {
        learn(RULE, "a", claimed(1));
        now += Duration.ofSeconds(11).toNanos();
        learn(RULE, "b", claimed(1));

        memory.lookedFromFront(Duration.ofMillis(900), now);
        assertThat(known()).hasSize(2);
        for (int i = 0; i < 10; i++) {
            memory.lookedFromFront(Duration.ofMillis(2), now);
        }

        assertThat(known()).extracting(Known::key).containsExactly("b");
    }

    @Test
    void aKeyThatIsAskedAloneIsAskedWhereItWasLeft() {
        learn(RULE, "b", new Claimed(KeyMemory.FEW, 0, 10, 100));

        KnownKeys two = memory.alone(List.of("a", "b", "c"), 2, now);

        assertThat(two.keys()).containsExactly(Known.fromFront("a"), new Known("b", 0, 10, 100));
        assertThat(two).matches(KnownKeys::only).matches(KnownKeys::more);
        assertThat(memory.alone(List.of("a", "b"), 2, now).more()).isFalse();
    }

    @Test
    void nobodyCountsAllThatRunsMoreOftenThanTenTimesASecond() {
        assertThat(memory.fromFront(now).recount()).isTrue();
        assertThat(memory.from(Turn.FIRST, 5, now).recount()).isFalse();
        now += Duration.ofMillis(100).toNanos();
        assertThat(memory.from(Turn.FIRST, 5, now).recount()).isTrue();
    }

    /** As often as it takes until the cost of one counts fully. */
    private void lookedFromFrontFor(Duration cost) {
        for (int i = 0; i < 8; i++) {
            memory.lookedFromFront(cost, now);
        }
    }

    private static Claimed claimed(long id) {
        return new Claimed(KeyMemory.FEW, 0, id, id);
    }

    private void learn(@Nullable Long rule, String key, Claimed claimed) {
        memory.learn(learned(rule, key, claimed), false, now);
    }

    private static LearnedKeys learned(@Nullable Long rule, String key, Claimed claimed) {
        return new LearnedKeys(rule, rule, false, Map.of(key, claimed), Map.of(), null);
    }

    private List<Known> known() {
        return memory.from(Turn.FIRST, 1_000, now).keys();
    }
}
