package dev.rowlock.queue.internal.policy;

/** Limits how many chosen jobs of a queue stand ready: few, so that the policy chooses late. Used by one thread. */
final class ReadyAhead {

    private static final int MOST = 1_000;

    /** About what is claimed in so many looks stands ready. */
    private static final int LOOKS = 3;

    private final int concurrency;
    private int before; // chosen and not claimed, after the last look
    private double claimed; // each look, of late

    /** @param concurrency of the queue on one node */
    ReadyAhead(int concurrency) {
        this.concurrency = concurrency;
    }

    /** How many more may be chosen: what nodes claim in some looks, and at least as many as they have threads. */
    int room(int admitted, int nodes) {
        claimed = Math.max(Math.max(0, before - admitted), claimed * 0.8);
        before = admitted;
        int ahead = Math.max(concurrency * Math.max(1, nodes), (int) Math.ceil(LOOKS * claimed));
        return Math.min(MOST, ahead) - admitted;
    }

    /** So many were chosen. */
    void added(int jobs) {
        before += jobs;
    }

    /** So many were given back to the policy since the last look, because no node claimed them. */
    void takenBack(int jobs) {
        before = Math.max(0, before - jobs);
    }
}
