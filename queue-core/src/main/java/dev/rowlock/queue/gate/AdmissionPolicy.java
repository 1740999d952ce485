package dev.rowlock.queue.gate;

/**
 * Decides which of a queue's ready jobs run next, and how many: priorities that nobody knew when the jobs were enqueued, office hours, free
 * capacity elsewhere, maintenance windows.
 *
 * <p>One node asks it for all, many times a second while jobs are ready and there is room, on a thread of its own, never twice at the same time. It is
 * shown some of the jobs, and chooses among them. What it does not choose stays ready, and is shown again.
 *
 * <p>It has two seconds for an answer. If it throws, takes longer, or chooses what it may not, nothing of the answer counts, and it is asked again after a
 * second. Where no node gets an answer for ten seconds, the jobs of the queue run in their normal order until one does. So it does when no node has the
 * policy any more. Limits and rates of the queue hold all the same. In a queue that limits its keys, or has them in order, the policy is not asked.
 */
public interface AdmissionPolicy {

    /** The queue whose jobs it chooses; one policy for each queue. */
    String queue();

    /** Chooses among the jobs that it is shown. Must not wait for other jobs of the queue. */
    Admission admit(AdmissionRequest request);
}
