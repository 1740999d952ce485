package dev.rowlock.queue;

/**
 * The job that answers a request with a unique key.
 *
 * @param created whether it is new; otherwise it held the key already, and keeps its payload and options
 */
public record EnqueueResult(long id, boolean created) {}
