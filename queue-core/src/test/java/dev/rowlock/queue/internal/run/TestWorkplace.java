package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A queue without threads and database, which notes outcomes. Tests say what fails. */
final class TestWorkplace implements Workplace {

    final List<Execution> waiting = new ArrayList<>();
    final Map<Execution, Outcome> outcomes = new LinkedHashMap<>();

    @Nullable
    Error gatheringFails;

    @Nullable
    Execution notAdmitted;

    @Nullable
    Execution notSettled;

    @Override
    public boolean admits(Execution execution, Duration lingered) {
        if (execution == notAdmitted) {
            throw new IllegalStateException("no");
        }
        return true;
    }

    @Override
    public List<Execution> take(Predicate<Execution> wanted, int most) {
        List<Execution> taken = waiting.stream().filter(wanted).limit(most).toList();
        waiting.removeAll(taken);
        return taken;
    }

    @Override
    public void gather(int thread, int most) {
        if (gatheringFails != null) {
            throw gatheringFails;
        }
    }

    @Override
    public void begin(int thread, List<Execution> jobs, boolean forTheFirstTime) {}

    @Override
    public void end(int thread, int jobs, Duration took) {}

    @Override
    public Outcome alone(Execution execution) {
        return new Outcome.Completed(null);
    }

    @Override
    public boolean overlooked(Execution execution) {
        return false;
    }

    @Override
    public void settle(Execution execution, Outcome outcome, Duration took) {
        if (execution == notSettled) {
            throw new IllegalStateException("cannot be settled");
        }
        outcomes.putIfAbsent(execution, outcome);
    }
}
