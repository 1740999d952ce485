package dev.rowlock.queue.benchmark.peer;

import dev.rowlock.queue.JobType;
import java.io.Serializable;

/** The payload of peers that take objects. */
@JobType("noop")
public record Noop(long seq, String text) implements Serializable {}
