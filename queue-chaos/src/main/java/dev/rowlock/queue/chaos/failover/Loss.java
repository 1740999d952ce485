package dev.rowlock.queue.chaos.failover;

/** How the first server is lost. */
public enum Loss {
    /** It crashes and stays away: what a failover should be. */
    KILLED,
    /** It goes on, but nobody reaches it for a while. Then it is there again, still a primary, and all connections to the new one break. */
    CUT_OFF,
    /** Nobody stops it: the standby is promoted while all are connected to the old primary. It is killed later. */
    NOT_FENCED
}
