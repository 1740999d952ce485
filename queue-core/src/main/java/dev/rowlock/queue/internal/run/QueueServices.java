package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.ClaimBudget;
import dev.rowlock.queue.internal.record.Observers;
import dev.rowlock.queue.internal.record.Recorder;

/** What the queues of a node share. */
public record QueueServices(
        HandlerInvoker invoker, Recorder recorder, Suspects suspects, Observers observer, ClaimBudget budget) {}
