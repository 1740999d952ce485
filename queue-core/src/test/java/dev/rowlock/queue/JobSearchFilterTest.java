package dev.rowlock.queue;

import static dev.rowlock.queue.job.JobState.CANCELLED;
import static dev.rowlock.queue.job.JobState.COMPLETED;
import static dev.rowlock.queue.job.JobState.DEAD;
import static dev.rowlock.queue.job.JobState.QUARANTINED;
import static dev.rowlock.queue.job.JobState.READY;
import static dev.rowlock.queue.job.JobState.RUNNING;
import static dev.rowlock.queue.job.JobState.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.CappedCount;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.search.TimeRange;
import dev.rowlock.queue.search.TimeStep;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One job in each state; its id is the number of its state, from 1. */
@PostgresTest(migrated = true)
@Representative
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobSearchFilterTest {

    private static final Page PAGE = Page.first(10);

    private final Rooms rooms;
    private final JobSearch search;

    JobSearchFilterTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
        rooms.execute("""
                INSERT INTO rowlock.node (id, name, queues, started_at, heartbeat_at, beats, lease_millis)
                VALUES (901, 'host-1', '{mail}', now(), now(), 1, 60000)
                """);
        rooms.execute("INSERT INTO rowlock.past_node VALUES (902, 'host-2', now(), now(), true)");
        rooms.execute("INSERT INTO rowlock.unique_key VALUES ('send', 'order-1', 1), ('draw', 'order-1', 3)");
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, rank, queue, type, payload, headers, errors)
                VALUES (1, '2026-02-01Z', '2026-01-01Z', 'retry', 0, 'mail', 'send', '{"n": 1}', '{"tenant": "a"}',
                        '[{"attempt": 1, "at": "2026-01-01T00:00:00Z", "type": "java.io.IOException", "message": "10.0.0.1 timed out", "trace": ""}]')
                """);
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload, headers)
                VALUES (2, '2026-02-02Z', '2026-01-02Z', 0, 'mail', 'send', NULL, '{"tenant": "b"}')
                """);
        rooms.execute("INSERT INTO rowlock.payload VALUES (2, 8, '{\"n\": 2}')");
        rooms.execute("""
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload)
                VALUES (3, 1, 901, '2026-02-03Z', '2026-01-03Z', '2026-03-03Z', 0, 1, 0, 'mail', 'draw', '{"n": 3}')
                """);
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, claimed_at, node_id, rank, attempt, crashes, state, queue, type, payload)
                VALUES (4, now(), '2026-01-04Z', '2026-03-04Z', 902, 0, 1, 0, 'completed', 'print', 'send', '{"n": 4}'),
                       (5, now(), '2026-01-05Z', NULL, NULL, 0, 0, 0, 'cancelled', 'print', 'draw', '{"n": 5}')
                """);
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, claimed_at, node_id, rank, attempt, crashes, state, queue, type, payload, headers, job_key, errors)
                VALUES (6, '2026-04-06Z', '2026-01-06Z', '2026-03-06Z', 902, 0, 2, 0, 'dead', 'mail', 'send', '{"n": 6}', '{"tenant": "a"}', 'tenant-7',
                        '[{"attempt": 1, "at": "2026-01-01T00:00:00Z", "type": "IllegalStateException", "message": "not yet", "trace": ""},
                          {"attempt": 2, "at": "2026-01-01T00:00:00Z", "type": "MailException", "message": "Connect TIMED out after 5000 ms", "trace": "MailException\\n\\tat shop.Mailer.send(Mailer.java:7)"}]'),
                       (7, '2026-04-07Z', '2026-01-07Z', '2026-03-07Z', 901, 0, 1, 3, 'quarantined', 'mail', 'draw', '[7]', NULL, NULL, NULL)
                """);
    }

    @AfterEach
    void asBefore() {
        rooms.execute("UPDATE rowlock.ready SET payload = NULL, headers = '{\"tenant\": \"b\"}'");
    }

    static Stream<Arguments> filters() {
        return Stream.of(
                Arguments.of(
                        JobFilter.all(), List.of(QUARANTINED, DEAD, CANCELLED, COMPLETED, RUNNING, READY, WAITING)),
                Arguments.of(where().queue("mail"), List.of(QUARANTINED, DEAD, RUNNING, READY, WAITING)),
                Arguments.of(where().type("draw"), List.of(QUARANTINED, CANCELLED, RUNNING)),
                Arguments.of(where().states(DEAD, READY), List.of(DEAD, READY)),
                Arguments.of(where().states(READY).queue("print"), List.of()),
                Arguments.of(where().uniqueKey("send", "order-1"), List.of(WAITING)),
                Arguments.of(where().uniqueKey("draw", "order-1"), List.of(RUNNING)),
                Arguments.of(where().uniqueKey("send", "order-2"), List.of()),
                Arguments.of(where().header("tenant", "a"), List.of(DEAD, WAITING)),
                Arguments.of(where().header("tenant", "a").header("tenant", "b"), List.of(READY)),
                Arguments.of(where().header("tenant", "a").header("region", "eu"), List.of()),
                Arguments.of(
                        where().enqueued(at("2026-01-03"), at("2026-01-06")), List.of(CANCELLED, COMPLETED, RUNNING)),
                Arguments.of(
                        where().time(JobTime.DUE, TimeRange.between(at("2026-02-01"), at("2026-02-03"))),
                        List.of(READY, WAITING)),
                Arguments.of(where().time(JobTime.DUE, TimeRange.from(at("2026-02-03"))), List.of(RUNNING)),
                Arguments.of(
                        where().time(JobTime.STARTED, TimeRange.from(at("2026-03-04"))),
                        List.of(QUARANTINED, DEAD, COMPLETED)),
                Arguments.of(where().time(JobTime.STARTED, TimeRange.until(at("2026-03-04"))), List.of(RUNNING)),
                Arguments.of(where().ended(at("2026-04-06"), at("2026-04-07")), List.of(DEAD)),
                Arguments.of(where().errorType("java.io.IOException"), List.of(WAITING)),
                Arguments.of(where().errorType("IOException"), List.of(WAITING)),
                Arguments.of(where().errorType("IllegalStateException"), List.of()),
                Arguments.of(where().errorText("timed OUT"), List.of(DEAD, WAITING)),
                Arguments.of(where().errorText("%"), List.of()),
                Arguments.of(where().node("host-1"), List.of(QUARANTINED, RUNNING)),
                Arguments.of(where().node("host-2"), List.of(DEAD, COMPLETED)),
                Arguments.of(where().payload("$.n == 2"), List.of(READY)),
                Arguments.of(where().payload("$.n ? (@ >= 4)"), List.of(DEAD, CANCELLED, COMPLETED)),
                Arguments.of(where().payload("$[0] == 7"), List.of(QUARANTINED)),
                Arguments.of(
                        where().states(DEAD, WAITING, READY)
                                .queue("mail")
                                .type("send")
                                .header("tenant", "a")
                                .errorText("timed out")
                                .payload("$.n > 1"),
                        List.of(DEAD)));
    }

    private static JobFilter where() {
        return JobFilter.where();
    }

    private static Instant at(String day) {
        return Instant.parse(day + "T00:00:00Z");
    }

    @ParameterizedTest
    @MethodSource("filters")
    void aSearchFindsTheJobsThatMeetAllConditionsAndNoOther(JobFilter filter, List<JobState> expected) {
        List<JobSummary> found = search.find(filter, PAGE).jobs();

        assertThat(found).extracting(JobSummary::state).isEqualTo(expected);
        assertThat(found)
                .allSatisfy(job -> assertThat(job.id()).isEqualTo(job.state().ordinal() + 1));
        assertThat(search.count(filter, 10)).isEqualTo(new CappedCount(expected.size(), false));
    }

    // What a line says

    @Test
    void aLineSaysWhatAListNeedsWithoutPayloadAndStackTrace() {
        JobSummary failed = found(DEAD, PAGE);

        assertThat(failed.queue()).isEqualTo("mail");
        assertThat(failed.key()).isEqualTo("tenant-7");
        assertThat(failed.startedAt()).isEqualTo(at("2026-03-06"));
        assertThat(failed.endedAt()).isEqualTo(at("2026-04-06"));
        assertThat(failed.nodeId()).isEqualTo(902);
        assertThat(failed.lastError()).isNotNull().satisfies(error -> {
            assertThat(error.type()).isEqualTo("MailException");
            assertThat(error.attempt()).isEqualTo(2);
            assertThat(error.trace()).isEmpty();
        });
        assertThat(failed.fingerprint()).hasSize(16);
        assertThat(failed.payload()).isNull();
        assertThat(found(QUARANTINED, PAGE).crashes()).isEqualTo(3);
        assertThat(found(QUARANTINED, PAGE).lastError()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void payloadsComeWhereTheyAreAskedFor(JobState state) {
        assertThat(found(state, PAGE.withPayloads()).payload())
                .isEqualTo(state == QUARANTINED ? "[7]" : "{\"n\": %d}".formatted(state.ordinal() + 1));
    }

    @ParameterizedTest
    @EnumSource
    void aLineHasTheTimesThatItsStateKnows(JobState state) {
        JobSummary job = found(state, PAGE);

        assertThat(job.dueAt() != null).isEqualTo(JobTime.DUE.states().contains(state));
        assertThat(job.startedAt() != null).isEqualTo(JobTime.STARTED.states().contains(state) && state != CANCELLED);
        assertThat(job.endedAt() != null).isEqualTo(JobTime.ENDED.states().contains(state));
    }

    private JobSummary found(JobState state, Page page) {
        return search.find(where().states(state), page).jobs().get(0);
    }

    // jsonpath

    @Test
    void aPathFindsWhatThereIsAndAConditionWhatIsTrue() {
        rooms.execute("UPDATE rowlock.ready SET payload = '{\"paid\": false}'");

        assertThat(search.count(where().payload("$.paid"), 10).jobs()).isEqualTo(1);
        assertThat(search.count(where().payload("$.paid == false"), 10).jobs()).isEqualTo(1);
        assertThat(search.count(where().payload("$.paid == true"), 10).jobs()).isZero();
        assertThat(search.count(where().payload("exists($.paid)"), 10).jobs()).isEqualTo(1);
        assertThat(search.count(where().payload("$.paid.size() == 5"), 10).jobs())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"n\": 9, \"a\": \"\\u0000\"}",
                "{\"n\": 9, \"a\": \"\\ud800x\"}",
                "{\"n\": 9, \"a\": \"x\\udc00\"}"
            })
    void aPayloadThatIsNoJsonbIsSearchedAllTheSame(String payload) {
        rooms.sql("UPDATE rowlock.ready SET payload = ?::json").param(payload).update();

        assertThat(search.find(where().payload("$.n == 9"), PAGE).jobs()).hasSize(1);
        assertThat(search.find(where().payload("$.n > 3"), PAGE).jobs()).hasSize(4);
    }

    @Test
    void aPayloadWithANumberThatTheServerCannotHoldIsPassedOver() {
        rooms.execute("UPDATE rowlock.ready SET payload = '{\"n\": 1e999999}'");

        assertThat(search.find(where().payload("$.n > 3"), PAGE).jobs()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\u0000", "\\ud800", "\\udc00", "\\ud83d\\ude00"})
    void aHeaderThatIsNoTextHidesNoOther(String odd) {
        rooms.sql("UPDATE rowlock.ready SET headers = ?::json")
                .param("{\"odd\": \"%s\", \"tenant\": \"c\"}".formatted(odd))
                .update();

        assertThat(search.find(where().header("tenant", "c"), PAGE).jobs()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"$.n ==", "n == $", "$.n $.n", "$.n like_regex \"(\"", "$.n ? (@ == $limit)", "$[1 to"})
    void aJsonpathThatIsNoneIsAnErrorAtTheCall(String jsonpath) {
        JobFilter filter = where().queue("mail").payload(jsonpath);

        assertThatThrownBy(() -> search.find(filter, PAGE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not accept the jsonpath " + jsonpath);
        assertThatThrownBy(() -> search.count(filter, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not accept the jsonpath " + jsonpath);
    }

    // Filters that are refused

    @Test
    void aFilterThatWouldMatchEverythingWithoutSayingSoIsRefused() {
        assertRefused(() -> search.find(where(), PAGE));
        assertRefused(() -> search.count(where(), 10));
        assertRefused(() -> search.deadByError(where(), GroupPage.first(10)));
        assertThatThrownBy(() -> search.ended(where(), TimeStep.HOUR)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no condition")
                .hasMessageContaining("JobFilter.all()");
    }

    @Test
    void aFilterThatNoJobCanMeetIsRefusedWithTheReason() {
        assertThatThrownBy(() -> search.find(where().states(WAITING).ended(at("2026-01-01"), at("2026-01-02")), PAGE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no job can meet")
                .hasMessageContaining("jobs in state [completed, cancelled, dead, quarantined] have the time 'ended'");
        assertThatThrownBy(() -> search.find(where().states(READY).node("host-1"), PAGE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("have a node");
        assertThatThrownBy(() -> search.deadByError(where().states(READY), GroupPage.first(10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[dead, quarantined]");
    }
}
