package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.workflow.ReadSteps.Found;
import dev.rowlock.queue.internal.workflow.ReadSteps.Result;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.workflow.NoSuchStepException;
import java.util.ArrayList;
import java.util.List;

/** Results of earlier steps, for jobs of later ones. */
final class StepResults {

    private static final int MOST = 10_000;
    private static final int AT_ONCE = 100;

    private final Database database;
    private final PayloadCodec codec;
    private final ReadSteps read;

    StepResults(Database database, PayloadCodec codec) {
        this.database = database;
        this.codec = codec;
        this.read = new ReadSteps(database);
    }

    <T> T one(JobContext job, String step, Class<T> type) {
        Found found = first(job, step, 2);
        List<Result> results = found.results();
        if (results.size() != 1 || !found.all()) {
            throw new IllegalStateException("step '%s' has %s, not one%s"
                    .formatted(
                            step,
                            results.isEmpty() ? "no completed job" : "several completed jobs",
                            results.isEmpty() ? "" : ": use results"));
        }
        return decoded(results.get(0), step, type);
    }

    <T> List<T> all(JobContext job, String step, Class<T> type) {
        List<T> all = new ArrayList<>();
        Found some = first(job, step, AT_ONCE);
        while (true) {
            for (Result each : some.results()) {
                all.add(decoded(each, step, type));
            }
            if (all.size() > MOST) {
                throw new IllegalStateException(
                        "step '%s' has more than %d results: too many to be in memory at once".formatted(step, MOST));
            }
            if (some.all()) {
                return all;
            }
            long last = some.results().get(some.results().size() - 1).job();
            some = read.results(job.id(), step, last, AT_ONCE);
        }
    }

    private Found first(JobContext job, String step, int limit) {
        Found found = read.results(job.id(), Names.step(step), 0, limit);
        StepKey own = found.own();
        Integer number = found.step();
        if (own == null) {
            throw new IllegalStateException(
                    "job %d belongs to no workflow, so there are no steps whose results it could read"
                            .formatted(job.id()));
        }
        if (number == null) {
            throw new NoSuchStepException(
                    own.workflow(), step, database.joined(connection -> read.names(connection, own.workflow())));
        }
        if (!found.direct()) {
            requireEarlier(own, number, step);
        }
        return found;
    }

    private void requireEarlier(StepKey own, int number, String step) {
        if (number == own.step()) {
            throw new IllegalArgumentException(
                    "a job cannot read results of its own step '%s', whose other jobs may still run: read them in a step with after('%s')"
                            .formatted(step, step));
        }
        read.later(own, number).filter(found -> !found.runsAfter()).ifPresent(found -> {
            throw new IllegalArgumentException(
                    "step '%s' of workflow %d does not run after step '%s', so only timing decides which of its results are there: add after('%s') to step '%s'"
                            .formatted(found.name(), own.workflow(), step, step, found.name()));
        });
    }

    private <T> T decoded(Result found, String step, Class<T> type) {
        if (found.result() == null) {
            throw new IllegalStateException(
                    "nothing is kept of what job %d of step '%s' returned: its listener returned null, or does not keep results (@JobListener(keepResult = true))"
                            .formatted(found.job(), step));
        }
        return type.cast(codec.decode(found.result(), type));
    }
}
