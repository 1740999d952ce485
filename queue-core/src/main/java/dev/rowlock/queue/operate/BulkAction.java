package dev.rowlock.queue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done to many jobs, and how far it has come.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface BulkAction {

    long id();

    Kind kind();

    State state();

    /** Its conditions, for people. */
    String filter();

    /** The error that the filter's fingerprint stands for; null: it names none, or no job had it. */
    @Nullable
    KindOfError error();

    String who();

    @Nullable
    String why();

    /** How many jobs there were for it when it was asked for. */
    long counted();

    /** Whether all were counted; false: there were more than {@code counted}. */
    boolean countedAll();

    /** To how many jobs it has been done. */
    long done();

    /**
     * How many jobs it has passed over, because the server refuses to move them by a trigger or constraint for example, or takes too long for one
     * alone; they stay as they are.
     */
    long refused();

    /** Why the last of them was refused: SQLSTATE and the server's message, of a data exception (class 22) only the SQLSTATE; null: none was. */
    @Nullable
    String refusal();

    /** How many jobs a second at most; null: as fast as may be. */
    @Nullable
    Integer perSecond();

    /** When it was asked for; jobs that came later are none of its. */
    Instant createdAt();

    /** Null: it goes on. */
    @Nullable
    Instant endedAt();

    /** What is done. */
    enum Kind {
        /** Dead jobs run again. */
        REDRIVE,
        /** Dead jobs are deleted. */
        DISCARD,
        /** Waiting and ready jobs end as cancelled. */
        CANCEL
    }

    /** Whether it goes on. */
    enum State {
        /** Nodes work on it. */
        RUNNING,
        /** It has been done to all jobs but those that were refused. */
        FINISHED,
        /** Somebody has ended it. What had been done stays. */
        CANCELLED
    }
}
