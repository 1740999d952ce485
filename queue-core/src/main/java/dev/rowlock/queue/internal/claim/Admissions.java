package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.job.ClaimedJob;
import java.util.List;

/** Whether ready jobs may be claimed at all, beside all that claims look at themselves. Thread-safe. */
public interface Admissions {

    /** Called before each claim, so it must be quick where nothing is decided here. Returns whether the claim has to wait: then it is called again at once. */
    boolean hold(String queue);

    /** Those of the claimed jobs that may run. The claims of the others are over. */
    List<ClaimedJob> admitted(String queue, List<ClaimedJob> claimed);

    /** All may be claimed. */
    Admissions ALL = new Admissions() {
        @Override
        public boolean hold(String queue) {
            return false;
        }

        @Override
        public List<ClaimedJob> admitted(String queue, List<ClaimedJob> claimed) {
            return claimed;
        }
    };
}
