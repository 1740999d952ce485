package dev.rowlock.queue.chaos.worker;

import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/** Decides for a queue of its own: mostly well and in any order, sometimes for nobody, and now and then it throws, hangs or lies. */
final class MoodyPolicy implements AdmissionPolicy {

    private static final long HANGS_MILLIS = 3_000;

    @Override
    public String queue() {
        return Work.Chosen.QUEUE;
    }

    @Override
    public Admission admit(AdmissionRequest request) {
        Random random = ThreadLocalRandom.current();
        switch (random.nextInt(40)) {
            case 0 -> throw new IllegalStateException("planted: no idea");
            case 1 -> hang();
            case 2 -> {
                return Admission.of(List.of(Long.MAX_VALUE));
            }
            case 3, 4, 5, 6, 7 -> {
                return Admission.of(List.of());
            }
            default -> {}
        }
        List<Long> all =
                new ArrayList<>(request.jobs().stream().map(WaitingJob::id).toList());
        Collections.shuffle(all, random);
        return Admission.of(all.subList(0, Math.min(all.size(), Math.max(0, request.room()))));
    }

    private static void hang() {
        try {
            Thread.sleep(HANGS_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
