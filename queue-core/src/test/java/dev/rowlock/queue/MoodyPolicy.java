package dev.rowlock.queue;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers at random, well and badly. Some jobs it does not choose, except in bad answers. Asked by several nodes, if one of them does not know yet that it is
 * dead.
 */
final class MoodyPolicy implements AdmissionPolicy {

    private static final int MOST_BAD = 10;

    private final String queue;
    private final PolicyModel model;
    private final Duration limit;
    private final Random random; // guarded by this, as are those below
    private int bad;
    private int good;
    private boolean choosesAll;

    /** @param limit an answer that takes longer does not count */
    MoodyPolicy(String queue, PolicyModel model, Duration limit, long seed) {
        this.queue = queue;
        this.model = model;
        this.limit = limit;
        this.random = new Random(seed);
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    @SuppressWarnings("NullAway")
    public Admission admit(AdmissionRequest request) {
        if (isFirst()) {
            LockSupport.parkNanos(limit.dividedBy(2).toNanos()); // nobody may be quicker than the first answer
        }
        int way = way(request);
        if (way < 0) {
            List<Long> answer = good(request);
            model.chosen(answer);
            return Admission.of(answer);
        }
        List<Long> shown = new ArrayList<>(request.jobs().stream()
                .map(WaitingJob::id)
                .sorted(Collections.reverseOrder())
                .toList());
        switch (way) {
            case 0 -> throw new IllegalStateException("planted: no idea");
            case 1 -> untilNobodyWaits();
            case 2 -> shown.add(0, Long.MAX_VALUE);
            case 3 -> shown.add(0, shown.get(0));
            case 4 -> shown.add(0, null);
            case 5 -> shown.add(0, begunBefore(shown));
            case 6 -> {
                for (long id = 1; shown.size() <= request.room(); id++) {
                    shown.add(-id);
                }
                return Admission.of(shown);
            }
            case 7 -> {
                return null;
            }
            case 8 -> throw new StackOverflowError("planted");
            default -> longAfterNobodyWaits();
        }
        return Admission.of(shown.subList(0, Math.min(shown.size(), Math.max(2, request.room()))));
    }

    /** Answers too late: whoever asked has given up, and interrupts. A rest of some time may end at once. */
    private static void untilNobodyWaits() {
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.park();
        }
    }

    /** Hears no interrupt either. */
    private void longAfterNobodyWaits() {
        long until = System.nanoTime() + limit.multipliedBy(3).toNanos();
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(limit.toNanos());
            Thread.interrupted();
        }
    }

    /** A job that is not shown any more; -1: there is none. */
    private Long begunBefore(List<Long> shown) {
        return model.begun().stream()
                .filter(id -> !shown.contains(id))
                .findFirst()
                .orElse(-1L);
    }

    private synchronized boolean isFirst() {
        return bad + good == 0;
    }

    private synchronized int way(AdmissionRequest request) {
        if (!choosesAll && bad < MOST_BAD && request.jobs().size() > 1 && random.nextInt(4) == 0) {
            return bad++;
        }
        return -1;
    }

    private synchronized List<Long> good(AdmissionRequest request) {
        good++;
        List<Long> yes = new ArrayList<>(request.jobs().stream()
                .map(WaitingJob::id)
                .filter(id -> choosesAll || id % 7 != 0 && random.nextInt(3) > 0)
                .toList());
        Collections.shuffle(yes, random);
        return yes.subList(0, Math.min(yes.size(), Math.max(0, request.room())));
    }

    synchronized boolean hasDoneAll() {
        return bad == MOST_BAD && good > 20;
    }

    synchronized void chooseAll() {
        choosesAll = true;
    }
}
