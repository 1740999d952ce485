package dev.rowlock.queue.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a call with many jobs ignores its deadline, nobody knows which of them it hangs on. */
@PostgresTest(migrated = true)
class SharedCallsTest {

    private final Rooms rooms;

    SharedCallsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
    }

    @Test
    void aJobOfASharedCallIsChargedNothingAndRunsAloneFromThenOn() {
        ClaimedJob shared = running("{\"tenant\": \"blue\"}", 0);

        take(new OverdueClaim(shared.claim(), true));

        assertThat(rooms.roomsOf(shared.id())).containsExactly("waiting");
        assertThat(rooms.look(shared.id())).containsEntry("attempt", 0);
        ClaimedJob again = claimAgain();
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(Headers.alone(again.headers())).isTrue();
        assertThat(Headers.decode(again.headers())).isEqualTo(Map.of("tenant", "blue"));
    }

    @Test
    void onceItHangsByItselfItsRetriesCount() {
        ClaimedJob shared = running(null, 0);
        take(new OverdueClaim(shared.claim(), true));

        take(OverdueClaim.alone(claimAgain().claim()));

        assertThat(rooms.roomsOf(shared.id())).containsExactly("dead");
    }

    @Test
    void aCancelledOneIsCancelled() {
        ClaimedJob shared = running(null, 5);
        rooms.execute("UPDATE rowlock.running SET cancel_requested = true");

        take(new OverdueClaim(shared.claim(), true));

        assertThat(rooms.roomsOf(shared.id())).containsExactly("done");
    }

    @ParameterizedTest
    @MethodSource("headers")
    void theMarkHarmsNoHeader(@Nullable String headers, Map<String, String> expected) {
        ClaimedJob first = running(headers, 5);
        take(new OverdueClaim(first.claim(), true));
        ClaimedJob second = claimAgain();
        take(new OverdueClaim(second.claim(), true)); // by a node of another release, which does not know the mark

        ClaimedJob third = claimAgain();

        assertThat(Headers.alone(third.headers())).isTrue();
        assertThat(Headers.decode(third.headers())).isEqualTo(expected);
        assertThat(third.headers()).containsOnlyOnce("{\"" + Headers.ALONE + "\":");
    }

    static Stream<Arguments> headers() {
        return Stream.of(
                Arguments.of(null, Map.of()),
                Arguments.of("{}", Map.of()),
                Arguments.of(" { } ", Map.of()),
                Arguments.of("{\"a{b\": \"c{d\"}", Map.of("a{b", "c{d")),
                Arguments.of("{\"nul\": \"\\u0000\"}", Map.of("nul", "\0")),
                Arguments.of("{\"mark\": \"rowlock-alone\"}", Map.of("mark", "rowlock-alone")),
                Arguments.of("{\"a\\\"rowlock-alone\": \"x\"}", Map.of("a\"rowlock-alone", "x")));
    }

    private ClaimedJob running(@Nullable String headers, int maxRetries) {
        return rooms.running(
                new NewJob(Rooms.QUEUE, "send", 0, null, maxRetries, Duration.ofMinutes(1), "{}", headers, null));
    }

    private void take(OverdueClaim late) {
        new OverdueStatements(rooms.database()).take(List.of(late), 10, Duration.ZERO);
    }

    private ClaimedJob claimAgain() {
        new DispatchDueJobs(rooms.database()).run(10);
        return rooms.claim(rooms.node(), 1).get(0);
    }
}
