package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.record.OutcomeStatements.Buried;
import dev.rowlock.queue.internal.record.OutcomeStatements.Deferred;
import dev.rowlock.queue.internal.record.OutcomeStatements.Finished;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Outcomes as the rows of the statements that write them. */
final class OutcomeRows {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private OutcomeRows() {}

    static <T> List<T> map(List<PendingOutcome> entries, Function<PendingOutcome, T> row) {
        return entries.stream().map(row).toList();
    }

    static Claim claim(PendingOutcome entry) {
        return entry.job().claim();
    }

    static Finished finished(PendingOutcome entry) {
        return entry.outcome() instanceof Outcome.Completed completed
                ? new Finished(claim(entry), JobState.COMPLETED, completed.resultJson())
                : new Finished(claim(entry), JobState.CANCELLED, null);
    }

    static Deferred deferred(PendingOutcome entry) {
        Outcome.Deferred outcome = (Outcome.Deferred) entry.outcome();
        JobError error = outcome.error();
        return new Deferred(
                claim(entry),
                outcome.due(),
                outcome.longest(),
                outcome.reason(entry.job().crashes()),
                error == null ? null : json(error));
    }

    static Buried buried(PendingOutcome entry) {
        return new Buried(claim(entry), json(((Outcome.Failed) entry.outcome()).error()));
    }

    private static String json(JobError error) {
        ObjectNode node = JSON.createObjectNode();
        node.put("type", error.type()).put("message", error.message()).put("trace", error.trace());
        return node.toString();
    }
}
