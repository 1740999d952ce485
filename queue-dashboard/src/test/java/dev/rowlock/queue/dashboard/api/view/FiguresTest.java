package dev.rowlock.queue.dashboard.api.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.QueueDepth;
import dev.rowlock.queue.dashboard.api.call.Json;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {

    /** With a thousand queues they are 90 KB, which every viewer would get each three seconds. */
    @Test
    void queuesAreNoNewsUntilTheyAreMeasuredAgain() {
        String now = queues(Duration.ofSeconds(1), 5);
        String later = queues(Duration.ofSeconds(4), 5);
        String measuredAgain = queues(Duration.ofSeconds(1), 6);

        assertThat(later).isEqualTo(now);
        assertThat(measuredAgain).isNotEqualTo(now);
    }

    private static String queues(Duration age, long jobs) {
        return Json.text(Figures.queues(List.of(new QueueDepth("mail", "ready", jobs, Duration.ofSeconds(9), age))));
    }
}
