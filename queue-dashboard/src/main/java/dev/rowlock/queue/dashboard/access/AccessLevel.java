package dev.rowlock.queue.dashboard.access;

/** What a user may do on the dashboard. Each level may do all that the levels before it may. */
public enum AccessLevel {
    /** Nothing: not one page opens. */
    NONE,
    /** Look, but at no payload, header or result. */
    READ_ONLY,
    /** See payloads; cancel, run, redrive and reschedule jobs; pause queues, types and recurring jobs. */
    OPERATOR,
    /** Delete dead jobs, change payloads, pause everything, set limits. */
    ADMIN;

    /** Whether it may do what needs the other level. */
    public boolean reaches(AccessLevel needed) {
        return this != NONE && compareTo(needed) >= 0;
    }
}
