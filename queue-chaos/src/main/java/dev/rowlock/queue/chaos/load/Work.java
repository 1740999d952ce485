package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.JobType;

/**
 * What a job of the load carries: who it is, and what its handler is to do. One class per type of job, because a type
 * is what listeners differ by.
 */
public sealed interface Work {

    /** Given by the producer, unique in a run: it names the job also where the producer never learnt its id. */
    long uid();

    Act act();

    /** Milliseconds, or how often, as the act understands it. */
    int number();

    /** A plain listener. */
    @JobType("plain")
    record Plain(long uid, Act act, int number) implements Work {}

    /** A transactional listener: writes one effect and completes in the same transaction. */
    @JobType("money")
    record Money(long uid, Act act, int number) implements Work {}

    /** A queue of its own, for jobs that bring down their node: its listener has one thread. */
    @JobType(value = "poison", queue = "poison")
    record Poison(long uid, Act act, int number) implements Work {}

    /** Only the new version of the application knows this type. */
    @JobType("fresh")
    record Fresh(long uid, Act act, int number) implements Work {}
}
