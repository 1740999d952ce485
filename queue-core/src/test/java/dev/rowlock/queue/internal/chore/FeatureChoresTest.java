package dev.rowlock.queue.internal.chore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.thread.TimeBudget;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FeatureChoresTest {

    private final LinkedBlockingQueue<String> runs = new LinkedBlockingQueue<>();
    private final FeatureChores chores = new FeatureChores(List.of(feature()), new TestOwnNode(1));

    /** Notes its runs, and would rest for an hour. */
    private record Noted(String name, boolean dueAfterConnect, LinkedBlockingQueue<String> runs) implements Chore {

        @Override
        public boolean dueAfterChange() {
            return true;
        }

        @Override
        public void changed() {
            runs.add(name + " is told");
        }

        @Override
        public Duration runOnce() {
            runs.add(name);
            return Duration.ofHours(1);
        }
    }

    private Feature feature() {
        return new Feature() {
            @Override
            public String name() {
                return "feature";
            }

            @Override
            public List<Chore> chores(OwnNode node) {
                return List.of(new Noted("gentle", false, runs), new Noted("eager", true, runs));
            }
        };
    }

    @AfterEach
    void stop() {
        chores.stop();
        chores.awaitStop(new TimeBudget(Duration.ofSeconds(10)));
    }

    private String next() throws InterruptedException {
        return String.valueOf(runs.poll(10, TimeUnit.SECONDS));
    }

    @Test
    void aNodeThatBeginsToHearOfChangesRunsOnlyWhatMustNotWait() throws InterruptedException {
        chores.start();
        assertThat(List.of(next(), next())).containsExactly("gentle", "eager");

        chores.connected(Duration.ZERO);
        assertThat(next()).isEqualTo("eager");

        chores.attention(Duration.ZERO);
        assertThat(List.of(next(), next())).containsExactly("gentle is told", "eager is told");
        assertThat(List.of(next(), next())).containsExactlyInAnyOrder("gentle", "eager");
    }
}
