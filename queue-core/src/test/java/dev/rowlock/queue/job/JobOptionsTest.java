package dev.rowlock.queue.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobOptionsTest {

    @Test
    void everyOptionAddsToTheOthers() {
        JobOptions options = JobOptions.NONE
                .queue("mail")
                .priority(5)
                .delay(Duration.ofMinutes(1))
                .maxRetries(3)
                .timeout(Duration.ofSeconds(9))
                .unique("order-42")
                .headers(Map.of("k", "v"))
                .header("l", "w")
                .retry(RetryPolicy.fixed(Duration.ofHours(1)));

        assertThat(options.queue()).isEqualTo("mail");
        assertThat(options.priority()).isEqualTo(5);
        assertThat(options.due()).isEqualTo(Due.after(Duration.ofMinutes(1)));
        assertThat(options.maxRetries()).isEqualTo(3);
        assertThat(options.retry()).isEqualTo(RetryPolicy.fixed(Duration.ofHours(1)));
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(options.headers()).isEqualTo(Map.of("k", "v", "l", "w"));
        assertThat(options.uniqueKey()).isEqualTo(UniqueKey.of("order-42"));
        assertThat(options.queue("print").priority(6).maxRetries(4).timeout(Duration.ofSeconds(8)))
                .extracting(JobOptions::uniqueKey)
                .isEqualTo(UniqueKey.of("order-42"));
        assertThat(options.delay(Duration.ZERO).uniqueKey()).isEqualTo(UniqueKey.of("order-42"));
        assertThat(options.runAt(Instant.EPOCH).uniqueKey()).isEqualTo(UniqueKey.of("order-42"));
        assertThat(JobOptions.NONE.queue()).isNull();
        assertThat(JobOptions.NONE.queue("mail").priority(5))
                .isEqualTo(JobOptions.NONE.priority(5).queue("mail"))
                .isNotEqualTo(JobOptions.NONE.queue("mail"));
    }

    @Test
    void theLastOfDelayAndInstantDecides() {
        Instant at = Instant.parse("2030-01-01T00:00:00Z");

        assertThat(JobOptions.NONE.delay(Duration.ofMinutes(1)).runAt(at).due()).isEqualTo(Due.at(at));
        assertThat(JobOptions.NONE.runAt(at).delay(Duration.ZERO).due()).isEqualTo(Due.after(Duration.ZERO));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        JobOptions.NONE.priority(1_000).priority(-1_000);
        JobOptions.NONE.delay(Duration.ZERO).delay(Due.MAX_DELAY);
        JobOptions.NONE.runAt(Instant.EPOCH).runAt(Instant.ofEpochSecond(9_000_000_000L));
        JobOptions.NONE.timeout(Duration.ofMillis(1)).timeout(JobOptions.MAX_TIMEOUT);
        JobOptions.NONE.maxRetries(0).maxRetries(10_000);
        JobOptions.NONE.headers(headers(64)).headers(Map.of("k".repeat(1_000), "v".repeat(1_000), "e", ""));
    }

    @Test
    void valuesBeyondTheLimitsAreRefusedWithValueAndLimit() {
        refused("1001", () -> JobOptions.NONE.priority(1_001));
        refused("-1001", () -> JobOptions.NONE.priority(-1_001));
        refused("-1ms", () -> JobOptions.NONE.delay(Duration.ofMillis(-1)));
        refused("36500d1s", () -> JobOptions.NONE.delay(Due.MAX_DELAY.plusSeconds(1)));
        refused("1969", () -> JobOptions.NONE.runAt(Instant.parse("1969-12-31T23:59:59Z")));
        refused("2300", () -> JobOptions.NONE.runAt(Instant.parse("2300-01-01T00:00:00Z")));
        refused("0s", () -> JobOptions.NONE.timeout(Duration.ZERO));
        refused("365d1h", () -> JobOptions.NONE.timeout(Duration.ofHours(8_761)));
        refused("-1", () -> JobOptions.NONE.maxRetries(-1));
        refused("10001", () -> JobOptions.NONE.maxRetries(10_001));
        refused("65", () -> JobOptions.NONE.headers(headers(65)));
        refused("1001", () -> JobOptions.NONE.headers(Map.of("k".repeat(1_001), "")));
        refused("1001", () -> JobOptions.NONE.headers(Map.of("k", "v".repeat(1_001))));
        refused("0", () -> JobOptions.NONE.headers(Map.of("", "v")));
        refused("'rowlock-'", () -> JobOptions.NONE.header("rowlock-retry", "{}"));
        refused("rules", () -> JobOptions.NONE.retry(RetryPolicy.DEFAULT.giveUpOn(Error.class)));
        refused("'a b'", () -> JobOptions.NONE.queue("a b"));
    }

    @Test
    void onlyTheKeysOfHeadersAreLogged() {
        assertThat(JobOptions.NONE.header("token", "secret"))
                .hasToString("JobOptions[queue=null, priority=0, due=null, maxRetries=null, retry=null, timeout=null,"
                        + " headers=[token], key=null, uniqueKey=null]");
    }

    @Test
    void headersAreCopied() {
        Map<String, String> mine = new HashMap<>(Map.of("k", "v"));
        JobOptions options = JobOptions.NONE.headers(mine);

        mine.put("k", "changed");

        assertThat(options.headers()).containsExactly(Map.entry("k", "v"));
    }

    @Test
    void aDueTimeIsEitherADelayOrAnInstant() {
        assertThatThrownBy(() -> new Due(null, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Due(Duration.ZERO, Instant.EPOCH)).isInstanceOf(IllegalArgumentException.class);
    }

    private static Map<String, String> headers(int count) {
        return IntStream.range(0, count).boxed().collect(Collectors.toMap(i -> "key" + i, i -> "value"));
    }

    private static void refused(String words, Runnable making) {
        assertThatThrownBy(making::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}
