package dev.rowlock.queue.operate;

/**
 * The error that a fingerprint stood for when a bulk action began.
 *
 * @param jobType type of a job that had it
 * @param errorType its class
 * @param message its message, the first line of it
 */
public record KindOfError(String jobType, String errorType, String message) {}
