package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.key.RunTimes;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs;

/** Where jobs with keys come from, and what is known of how long they run. */
public record KeyedSource(ClaimKeyedJobs claim, RunTimes runTimes) {}
