package dev.rowlock.queue.gate;

/**
 * Decides which jobs of a queue become ready next, and how many: priorities that were unknown when the jobs were enqueued, office hours, free
 * capacity elsewhere, maintenance windows. A bean of this type, or {@code RowlockBuilder.policy}, is one.
 *
 * <p>One node asks it for all, many times a second while jobs wait and there is room, on a thread of its own, never twice at the same time and in no
 * transaction. It is shown some of the jobs, and chooses among them. What it does not choose goes on waiting, and is shown again. Limits and rates hold for
 * what it has chosen; what cannot run within a second because of them is shown to it again. So is a job that is retried or snoozed, when it is due.
 *
 * <p>It has two seconds for an answer. If it throws, takes longer, or chooses what it may not, nothing of the answer counts, the log says so, and it is asked
 * again after a second. Where no node gets an answer for ten seconds, the jobs of the queue run in their normal order until one
 * does. So they do when no node has the policy any more. In a queue whose keys are in order the policy is not asked.
 */
public interface AdmissionPolicy {

    /** The queue whose jobs it chooses; one policy for each queue. */
    String queue();

    /** Chooses among the jobs that it is shown. Must not wait for other jobs of the queue. */
    Admission admit(AdmissionRequest request);
}
