package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Headers;
import dev.rowlock.queue.job.ClaimedJob;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The two forms of a statement that ends jobs: one moves them to done, the other deletes them. Without retention most jobs are deleted. But jobs with a
 * result go to done, because somebody may ask for it, and those of workflows, because later steps depend on what done says of them.
 *
 * @param <S> the statement
 */
public final class KeptOrGone<S> {

    private final boolean all;
    private final S kept;
    private final S gone;

    /**
     * @param all whether all jobs are kept
     * @param statement makes it, for jobs that are kept or not
     */
    public KeptOrGone(boolean all, Function<Boolean, S> statement) {
        this.all = all;
        this.kept = statement.apply(true);
        this.gone = all ? kept : statement.apply(false);
    }

    /** Whether a job is kept that ends with this result. */
    public boolean keeps(ClaimedJob job, @Nullable String result) {
        return all || result != null || Headers.inWorkflow(job.headers());
    }

    public S of(boolean keeps) {
        return keeps ? kept : gone;
    }
}
