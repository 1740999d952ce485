package dev.rowlock.queue.gate;

import java.time.Instant;
import java.util.List;

/**
 * What a policy may choose from.
 *
 * @param queue the queue
 * @param jobs some of the queue's jobs that could run and are not chosen yet, in their normal order, a thousand at most. Where
 *     the answer leaves room, the next request shows those behind them, and after the last ones the first again. Empty: after a
 *     failure it is asked whether it works again
 * @param room how many of them it may choose at most: about what the nodes begin within a fifth of a second
 * @param chosen how many jobs it has chosen that no node has claimed yet
 * @param running how many jobs of the queue run now over all nodes
 * @param now the clock of the database
 */
public record AdmissionRequest(String queue, List<WaitingJob> jobs, int room, int chosen, int running, Instant now) {

    public AdmissionRequest {
        jobs = List.copyOf(jobs);
    }
}
