package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.ServerClock;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

@LongRunning
class ClaimsAfterClockStepTest {

    /** The next look from the front is not allowed for seconds after one that took long. */
    @Test
    void newJobsAreClaimedAtOnceAfterTheClockWasSetBack() {
        try (ServerClock clock = ServerClock.openOrSkip();
                EmbeddedServer server = EmbeddedServer.start(Map.of(), clock);
                TestDatabase database = server.newDatabase();
                ClaimingNode node = new ClaimingNode(database)) {
            Rooms rooms = node.rooms();
            Claimer claimer = node.claimer();
            rooms.execute("CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN PERFORM count(*) FROM generate_series(1, 4000000); RETURN NULL; END'"); // a
            // sleep
            // would
            // believe the clock
            rooms.execute("CREATE TRIGGER slow AFTER INSERT ON rowlock.running EXECUTE FUNCTION public.slow()");
            rooms.ready(5);
            claimer.claim();
            clock.set(Duration.ofHours(-1));
            rooms.ready(1);

            claimer.urgent(0); // as if woken
            claimer.claim(); // behind the others
            claimer.claim();

            assertThat(rooms.count("running")).isEqualTo(6);
        }
    }
}
