package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Calls an application's policy and checks its answer: it may throw, hang, or choose jobs that it was not shown. Used by one thread. */
final class PolicyCall {

    private static final long KEPT_SECONDS = 10;

    private final AdmissionPolicy policy;
    private final String queue;
    private final Duration longest;
    private final ThreadPoolExecutor thread; // one: a policy that hangs is not asked again
    private final AtomicReference<@Nullable Object> inside =
            new AtomicReference<>(); // the call from which the policy has not come back

    PolicyCall(AdmissionPolicy policy, String queue, Duration longest) {
        this.policy = policy;
        this.queue = queue;
        this.longest = longest;
        this.thread =
                new ThreadPoolExecutor(1, 1, KEPT_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "rowlock-policy-call-" + queue);
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    /** The queue that it is for. */
    String queue() {
        return queue;
    }

    Admission ask(AdmissionRequest request) {
        Object call = new Object();
        if (!inside.compareAndSet(null, call)) {
            throw PolicyException.of(queue, "still hangs", null);
        }
        FutureTask<Admission> answer = new FutureTask<>(() -> admit(request, call));
        try {
            thread.execute(() -> {
                answer.run();
                inside.compareAndSet(call, null); // it may have been cancelled before it began
            });
        } catch (RuntimeException | Error e) { // there is no thread for it
            inside.set(null);
            throw e;
        }
        try {
            return checked(answer.get(longest.toMillis(), TimeUnit.MILLISECONDS), request);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw PolicyException.of(queue, "gave no answer within " + DurationText.of(longest), null);
        } catch (ExecutionException e) {
            throw PolicyException.of(queue, "failed", e.getCause());
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw PolicyException.of(queue, "was interrupted", null);
        }
    }

    /** Who has the answer may ask again at once. */
    private Admission admit(AdmissionRequest request, Object call) {
        try {
            return policy.admit(request);
        } finally {
            inside.compareAndSet(call, null);
        }
    }

    @SuppressWarnings("NullAway") // an application may return null all the same
    private Admission checked(Admission answer, AdmissionRequest request) {
        if (answer == null) {
            throw PolicyException.of(queue, "returned null", null);
        }
        if (answer.jobs().size() > request.room()) {
            throw PolicyException.of(
                    queue,
                    "chose %d jobs where %d were allowed"
                            .formatted(answer.jobs().size(), request.room()),
                    null);
        }
        Set<Long> shown = request.jobs().stream().map(WaitingJob::id).collect(Collectors.toSet());
        Set<Long> chosen = new HashSet<>();
        for (Long id : answer.jobs()) {
            if (!shown.contains(id) || !chosen.add(id)) {
                throw PolicyException.of(
                        queue, "chose job %d, which it was not shown or has chosen twice".formatted(id), null);
            }
        }
        return answer;
    }

    /** A policy gave no valid answer: the jobs of its queue will run without it. */
    static final class PolicyException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final boolean asked;

        private PolicyException(String message, boolean asked, @Nullable Throwable cause) {
            super(message, cause);
            this.asked = asked;
        }

        /**
         * It was asked.
         *
         * @param cause what it has thrown; null: nothing
         */
        static PolicyException of(String queue, String what, @Nullable Throwable cause) {
            return new PolicyException("queue '%s': its policy %s".formatted(queue, what), true, cause);
        }

        /** It is not asked. */
        static PolicyException withoutEffect(String queue) {
            return new PolicyException(
                    "queue '%s': its policy has no effect, because the jobs of each key run in order; remove in-order or the policy"
                            .formatted(queue),
                    false,
                    null);
        }

        /** Whether it was asked, and will be again. */
        boolean asked() {
            return asked;
        }
    }
}
