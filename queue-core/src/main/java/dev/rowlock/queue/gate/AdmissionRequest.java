package dev.rowlock.queue.gate;

import java.time.Instant;
import java.util.List;

/**
 * What a policy may choose from.
 *
 * @param jobs some of the queue's ready jobs that are not chosen yet, in their normal order, a thousand at most: those that come first, and of each key
 *     those that come first. Where it leaves room, the next request shows those behind them, and after the last ones the first again
 * @param room how many of them it may choose at most: about what the nodes begin within a fifth of a second
 * @param chosen how many jobs it has chosen that no node has claimed yet
 * @param running how many jobs of the queue run now over all nodes
 * @param limit the limits of the queue
 * @param now the clock of the database
 */
public record AdmissionRequest(
        List<WaitingJob> jobs, int room, int chosen, int running, QueueLimit limit, Instant now) {

    public AdmissionRequest {
        jobs = List.copyOf(jobs);
    }

    /** The queue. */
    public String queue() {
        return limit.queue();
    }
}
