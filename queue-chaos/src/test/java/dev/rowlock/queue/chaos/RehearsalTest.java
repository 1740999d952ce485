package dev.rowlock.queue.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.upgrade.Rehearsal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Besides the laws of chaos, which have tests of their own. */
class RehearsalTest {

    /** The story has two nodes. */
    private static final String NODES = "every node works";

    private final Story story = new Story();

    @Test
    void aCallThatFailsBreaksThePromise() {
        assertThat(broken(List.of("column \"colour\" must not be null"), 100)).contains("calls succeed");
        assertThat(broken(List.of(), 100)).doesNotContain("calls succeed");
    }

    @Test
    void everyProcessMustHaveRunJobs() {
        assertThat(broken(List.of(), 100)).contains(NODES);

        for (int node = 3; node <= 7; node++) {
            story.starts.add(new Start("w" + node, 80, 3, 14, 3, 2, 0));
        }
        assertThat(broken(List.of(), 100)).doesNotContain(NODES);
    }

    @Test
    void aJobThatIsNotCompletedBreaksThePromise() {
        assertThat(broken(List.of(), 100)).doesNotContain("all jobs are completed");

        story.rows.set(2, Story.row(3, 3, "dead", 4, 0, 4, null));

        assertThat(broken(List.of(), 100)).contains("all jobs are completed");
    }

    @Test
    void aLongTimeWithoutAClaimBreaksThePromise() {
        assertThat(broken(List.of(), Story.second(5))).doesNotContain("claims go on");
        assertThat(broken(List.of(), Story.second(6))).contains("claims go on");
    }

    private List<String> broken(List<String> failed, long unloaded) {
        History history = story.history();
        return new Rehearsal(history, failed, new Rehearsal.Times(0, unloaded, 0, 1))
                .violations().stream().map(Violation::promise).toList();
    }
}
