package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class FailureLogCountTest {

    private static final Pattern MORE = Pattern.compile("; (\\d+) more like this since the last such line$");

    @Test
    void eachLineCountsThoseThatWereLeftOutBeforeIt() {
        FailureLog failures = new FailureLog(Duration.ofMillis(50));
        ClaimedJob job = ClaimedJobs.withKey(1, "tenant-7");
        Outcome failed = new Outcome.Retry(Due.after(Duration.ZERO), JobError.of("test", "no"), null);
        try (LogLines log = new LogLines(FailureLog.NAME)) {
            long[] told = {0};
            Awaitility.await().until(() -> {
                failures.tell(job, failed);
                told[0]++;
                return log.lines().size() == 3;
            });

            long leftOut = log.lines().stream()
                    .flatMap(line -> MORE.matcher(line).results())
                    .map((MatchResult count) -> count.group(1))
                    .mapToLong(Long::parseLong)
                    .sum();
            assertThat(leftOut + 3).isEqualTo(told[0]);
        }
    }
}
