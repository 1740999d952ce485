package dev.rowlock.queue.gate;

/**
 * A key of a queue with a limit per key of which as many jobs run as that allows, or more, while others of it are ready.
 *
 * @param running how many of its jobs run
 * @param limit how many may run, a burst not counted; 1 where the jobs of a key run in order
 * @param ready how many of its jobs are ready and wait; counted up to 1,000
 */
public record FullKey(String queue, String key, long running, int limit, long ready) {}
