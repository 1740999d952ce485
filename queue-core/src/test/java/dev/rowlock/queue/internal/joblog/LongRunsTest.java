package dev.rowlock.queue.internal.joblog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.LongRun;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.ClaimedJobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What the log of a job says of a handler that does not come back. */
class LongRunsTest {

    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread handler = new Thread(this::hang);
    private final List<String> lines = new ArrayList<>();
    private final List<LongRun> runs = new ArrayList<>();
    private final LongRuns longRuns = new LongRuns(new Node(), (job, line) -> lines.add(job.id() + " " + line));

    private final class Node implements OwnNode {

        @Override
        public long nodeId() {
            return 1;
        }

        @Override
        public Place place() {
            return Place.ALONE;
        }

        @Override
        public boolean hearing() {
            return true;
        }

        @Override
        public List<LongRun> longRuns(Duration atLeast) {
            return runs.stream()
                    .filter(run -> run.running().compareTo(atLeast) >= 0)
                    .toList();
        }
    }

    private void hang() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ran(Duration running, ClaimedJob... jobs) {
        runs.clear();
        for (ClaimedJob job : jobs) {
            runs.add(new LongRun(job, running, handler));
        }
        longRuns.runOnce();
    }

    @Test
    void whereItStandsIsNotedAfterFiveMinutesAndThenEachTimeThatItHasRunTwiceAsLong() throws Exception {
        handler.start();
        while (handler.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        ClaimedJob job = ClaimedJobs.of(7);
        ClaimedJob ofSameCall = ClaimedJobs.of(8);

        ran(Duration.ofMinutes(4), job);
        assertThat(lines).isEmpty();
        ran(Duration.ofMinutes(5), ofSameCall, job);
        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith("7 has run for 5 min; its thread is waiting\n\tat ")
                .contains("LongRunsTest.hang(LongRunsTest.java:");
        ran(Duration.ofMinutes(6), job, ofSameCall);
        ran(Duration.ofMinutes(9), job, ofSameCall);
        assertThat(lines).hasSize(1);
        ran(Duration.ofMinutes(10), job);
        assertThat(lines).hasSize(2).last().asString().startsWith("7 has run for 10 min");

        end.countDown();
        handler.join();
        ran(Duration.ofMinutes(20), job);
        assertThat(lines).last().asString().isEqualTo("7 has run for 20 min; its thread is terminated");
    }
}
