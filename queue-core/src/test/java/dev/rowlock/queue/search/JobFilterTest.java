package dev.rowlock.queue.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.JobFilter.Criterion;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobFilterTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void conditionsAddUpAndTheSameOneAgainReplacesTheFormer() {
        JobFilter filter = JobFilter.where()
                .queue("print")
                .queue("mail")
                .header("tenant", "a")
                .header("region", "eu")
                .enqueued(NOON, NOON.plusSeconds(1))
                .ended(NOON, NOON.plusSeconds(2));

        assertThat(filter.texts()).isEqualTo(Map.of(Criterion.QUEUE, "mail"));
        assertThat(filter.headers()).isEqualTo(Map.of("tenant", "a", "region", "eu"));
        assertThat(filter.times()).containsOnlyKeys(JobTime.ENQUEUED, JobTime.ENDED);
    }

    @Test
    void aFilterSaysWhatItsConditionsAre() {
        JobFilter filter = JobFilter.where()
                .states(JobState.DEAD, JobState.QUARANTINED)
                .uniqueKey("send", "order-1")
                .time(JobTime.DUE, TimeRange.from(NOON))
                .payload("$.n == 1");

        assertThat(filter)
                .hasToString(
                        "state=dead or quarantined, type=send, uniqueKey=order-1, payload=$.n == 1, due=2026-03-01T12:00:00Z..");
        assertThat(JobFilter.all()).hasToString("all jobs");
        assertThat(JobFilter.where()).hasToString("no condition");
    }

    @Test
    void onlyWhoSaysAllMeansAll() {
        assertThat(JobFilter.where().isEmpty()).isTrue();
        assertThat(JobFilter.all().isEmpty()).isFalse();
        assertThat(JobFilter.where().queue("mail").isEmpty()).isFalse();
        assertThat(JobFilter.all().queue("mail")).isEqualTo(JobFilter.where().queue("mail"));
    }

    static Stream<Arguments> badConditions() {
        return Stream.of(
                bad("no states", () -> JobFilter.where().states(Set.of()), "waiting, ready, running"),
                bad("no queue", () -> JobFilter.where().queue(""), "queue name '' is not valid"),
                bad("type", () -> JobFilter.where().type("a b"), "job type name 'a b' is not valid"),
                bad("key", () -> JobFilter.where().uniqueKey("send", ""), "a unique key of 0 characters"),
                bad("text", () -> JobFilter.where().errorText(" "), "error text ' ' is not allowed"),
                bad("long text", () -> JobFilter.where().errorText("x".repeat(2_001)), "this one has 2001"),
                bad("NUL", () -> JobFilter.where().errorType("a\0"), "error type 'a?' is not allowed"),
                bad("fingerprint", () -> JobFilter.where().fingerprint("xyz"), "'xyz' is no fingerprint"),
                bad("node", () -> JobFilter.where().node(""), "node '' is not allowed"),
                bad("jsonpath", () -> JobFilter.where().payload(""), "jsonpath '' is not allowed"),
                bad("[0,0] twice", () -> JobFilter.where().payload("$[0,0][0, 0] == 1"), "more than one part"),
                bad("[0,0] and .**", () -> JobFilter.where().payload("$.a[0,(0)].** == 1"), "more than one part"),
                bad(".** twice", () -> JobFilter.where().payload("$.**{1 to 2}/* */.** == 1"), "more than one part"),
                bad("within", () -> JobFilter.where().payload("$[$.a[0,1], 2] == 1"), "more than one part"),
                bad("no path", () -> JobFilter.where().payload("1008"), "jsonpath '1008' does not look at payloads"),
                bad("header", () -> JobFilter.where().header("", "a"), "a key of 0"),
                bad("header value", () -> JobFilter.where().header("a", "\ud800"), "value of header 'a'"),
                bad("no range", () -> new TimeRange(null, null), "without bounds"),
                bad("empty range", () -> TimeRange.between(NOON, NOON), "is empty"),
                bad("far range", () -> TimeRange.from(Instant.MIN), "must lie between"),
                bad("page", () -> Page.first(0), "a page of 0 jobs is not allowed: it has 1 to 1000"),
                bad("payloads", () -> Page.first(101).withPayloads(), "1 to 100 with payloads"),
                bad("groups", () -> GroupPage.first(1_001), "1 to 1000"));
    }

    private static Arguments bad(String name, ThrowingCallable condition, String message) {
        return Arguments.of(Named.of(name, condition), message);
    }

    @ParameterizedTest
    @MethodSource("badConditions")
    void aBadConditionIsRefusedAtOnceWithWhatIsAllowed(ThrowingCallable condition, String message) {
        assertThatThrownBy(condition)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aUniqueKeyNeedsItsType() {
        assertThatThrownBy(() -> JobFilter.where().with(Criterion.UNIQUE_KEY, "order-1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name the type too");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$.items[0, 1, last] ? (@.price > 100)",
                "$.** ? (@.price > 100)",
                "$.items[*].parts[*][0][0 to 3]",
                "$.a[0,1].name == \"[0,1].** \\\" [0,1]\"",
                "$.a[0,1].\"b,[c\" /* [0,1] , .** */",
                "$.n.decimal(4,2)[0,1]",
                "($.a * $.b) * 2 == 4"
            })
    void pathsThatNameSeveralPlacesOnceAreAllowed(String path) {
        assertThat(JobFilter.where().payload(path).text(Criterion.PAYLOAD)).isEqualTo(path);
    }
}
