package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.ClaimedJobs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class KeyedTurnsTest {

    private final KeyedTurns turns = new KeyedTurns(() -> 1, Duration.ofSeconds(1));

    @Test
    void keysThatLeaveSomeOfTheRoomMayHaveMoreJobsBecauseTheyShareItEvenly() {
        turns.over(keyed(2, 3), false, 100);

        assertThat(turns.contended()).isTrue();
    }

    @Test
    void keysThatBringNothingHaveNothingLeft() {
        turns.over(keyed(0, 3), false, 100);

        assertThat(turns.contended()).isFalse();
    }

    private static KeyedBatch keyed(int count, long room) {
        List<ClaimedJob> jobs = LongStream.rangeClosed(1, count)
                .mapToObj(id -> ClaimedJobs.withKey(id, "key-" + id))
                .toList();
        return new KeyedBatch(
                new Batch(jobs, null, null, Duration.ZERO, true),
                room,
                null,
                Stop.NONE,
                true,
                true,
                0,
                null,
                List.of(),
                false,
                false,
                200,
                new KeyedBatch.Learned(null, null, Map.of(), Map.of(), null));
    }
}
