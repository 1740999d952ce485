package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Policies that throw, hang, or choose what they may not: jobs go on without them. */
class FailingPoliciesTest extends WrittenPolicies {

    FailingPoliciesTest(TestDatabase database) {
        super(database);
    }

    @Test
    void jobsGoOnWithoutAPolicyThatThrows() {
        goesOnWithout(request -> {
            throw new IllegalStateException("no idea");
        });
    }

    @Test
    void jobsGoOnWithoutAPolicyThatHangs() {
        goesOnWithout(request -> {
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                return hang();
            }
            return all(request);
        });
    }

    /** Also where it is interrupted. */
    private Admission hang() {
        while (mayEnd.getCount() > 0) {
            Thread.onSpinWait();
        }
        return Admission.of(List.of());
    }

    @Test
    void jobsGoOnWithoutAPolicyThatChoosesWhatItWasNotShown() {
        goesOnWithout(request -> Admission.of(List.of(-1L)));
    }

    @LongRunning
    @Test
    void jobsGoOnWithoutAPolicyThatChoosesMoreThanThereIsRoomFor() {
        goesOnWithout(request ->
                Admission.of(request.jobs().stream().map(WaitingJob::id).toList()));
    }

    @LongRunning
    @Test
    @SuppressWarnings("NullAway")
    void jobsGoOnWithoutAPolicyThatReturnsNothing() {
        goesOnWithout(request -> null);
    }

    private void goesOnWithout(Function<AdmissionRequest, Admission> bad) {
        Rowlock first = node(bad, QUICK);
        Rowlock second = node(bad, QUICK);
        enqueue(first, 100);

        first.start();
        second.start();

        await().until(() -> sent.size() == 100);
        enqueue(first, 10);
        await().until(() -> sent.size() == 110);
        assertThat(sent).doesNotHaveDuplicates();
    }

    @Test
    void aPolicyThatAnswersAgainDecidesAgain() {
        AtomicBoolean broken = new AtomicBoolean(true);
        Rowlock only = node(
                request -> {
                    if (broken.get()) {
                        throw new IllegalStateException("not yet");
                    }
                    return open ? all(request) : Admission.of(List.of());
                },
                QUICK);
        only.start();
        enqueue(only, 20);
        await().until(() -> sent.size() == 20);

        broken.set(false);

        List<Long> later = new ArrayList<>();
        await().until(() -> {
            later.add(only.jobs().enqueue(new Send("later " + later.size())));
            return reasons(only, later.get(Math.max(0, later.size() - 2))).contains(Kind.POLICY);
        });
        open = true;
        await().until(() -> sent.size() == 20 + later.size());
    }
}
