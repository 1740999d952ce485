package dev.rowlock.queue.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class UniqueKeyTest {

    @Test
    void aKeyIsFreeWithItsJobUnlessItIsToBeHeldLonger() {
        UniqueKey key = UniqueKey.of("order-42");

        assertThat(key.atLeast()).isZero();
        assertThat(key.atLeast(Duration.ofHours(1))).isEqualTo(new UniqueKey("order-42", Duration.ofHours(1)));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        UniqueKey.of("k");
        UniqueKey.of("k".repeat(255));
        UniqueKey.of(" \n\t\u0001é€\uD83D\uDE00");
        UniqueKey.of("k").atLeast(Duration.ZERO).atLeast(UniqueKey.MAX_AT_LEAST);
    }

    @Test
    void valuesBeyondTheLimitsAreRefusedWithValueAndLimit() {
        refused("0 characters", () -> UniqueKey.of(""));
        refused("256 characters", () -> UniqueKey.of("k".repeat(256)));
        refused("-1ms", () -> UniqueKey.of("k").atLeast(Duration.ofMillis(-1)));
        refused("365d1ms", () -> UniqueKey.of("k").atLeast(UniqueKey.MAX_AT_LEAST.plusMillis(1)));
    }

    @Test
    void charactersThatTheDatabaseCannotStoreAreRefused() {
        refused("'a?b' has U+0000 at 1", () -> UniqueKey.of("a\u0000b"));
        refused("'ab?' has U+D83D at 2", () -> UniqueKey.of("ab\uD83D"));
        refused("'?' has U+DE00 at 0", () -> UniqueKey.of("\uDE00"));
        refused("U+DE00 at 0", () -> UniqueKey.of("\uDE00\uD83D"));
    }

    @Test
    void aKeyInALogIsOneLine() {
        assertThat(UniqueKey.of("a\nb")).hasToString("'a?b'");
        assertThat(UniqueKey.of("a").atLeast(Duration.ofHours(1))).hasToString("'a' for at least 1h");
    }

    private static void refused(String words, Runnable making) {
        assertThatThrownBy(making::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}
