package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** Whoever comes while an examination is under way waits for its findings: many callers cost the database no more than one. */
final class OneAtATime implements Doctor {

    private final Doctor doctor;
    private final AtomicReference<CompletableFuture<List<Finding>>> underWay = new AtomicReference<>();

    OneAtATime(Doctor doctor) {
        this.doctor = doctor;
    }

    @Override
    public List<Finding> examine() {
        CompletableFuture<List<Finding>> own = new CompletableFuture<>();
        CompletableFuture<List<Finding>> other = underWay.compareAndExchange(null, own);
        if (other != null) {
            return other.join();
        }
        try {
            own.complete(doctor.examine());
        } catch (RuntimeException | Error e) {
            own.completeExceptionally(e);
            throw e;
        } finally {
            underWay.set(null);
        }
        return own.join();
    }
}
