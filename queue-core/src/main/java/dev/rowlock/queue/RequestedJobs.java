package dev.rowlock.queue;

import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.job.UniqueKey.OnConflict;
import dev.rowlock.queue.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Requests as they will lie in the tables: encoded, checked, with the queue that they go to. Touches no database. */
final class RequestedJobs {

    private final PayloadCodec codec;
    private final Encryption encryption;
    private final long maxPayloadBytes;
    private final UnaryOperator<@Nullable String> listenerQueues;

    RequestedJobs(
            PayloadCodec codec,
            Encryption encryption,
            long maxPayloadBytes,
            UnaryOperator<@Nullable String> listenerQueues) {
        this.codec = codec;
        this.encryption = encryption;
        this.maxPayloadBytes = maxPayloadBytes;
        this.listenerQueues = listenerQueues;
    }

    /** The request as it will lie in the tables, if it may. */
    NewJob of(JobRequest request) {
        Object payload = request.payload();
        JobOptions options = request.options();
        String type = typeOf(request);
        String json = codec.encode(payload);
        codec.checkReadable(json, payload.getClass());
        requireSize(type, json);
        requireDelay(options);
        return new NewJob(
                queueOf(request),
                type,
                -options.priority(),
                immediate(options.due()) ? null : options.due(),
                options.maxRetries(),
                options.timeout(),
                encryption.seal(Part.PAYLOAD, type, json),
                Headers.encode(options, JobTypes.titleOf(payload)),
                options.key() != null ? options.key() : JobTypes.keyOf(payload),
                options.uniqueKey());
    }

    /** How far a job is postponed. */
    private static void requireDelay(JobOptions options) {
        UniqueKey key = options.uniqueKey();
        if (key == null || key.onConflict() != OnConflict.POSTPONE) {
            return;
        }
        Duration delay = options.due() == null ? null : options.due().after();
        if (delay == null || delay.isZero() || delay.compareTo(key.longestWait()) > 0) {
            throw new IllegalArgumentException(
                    "a job that is postponed needs a delay of more than 0 and up to its longest wait %s; unique key %s came with %s"
                            .formatted(
                                    DurationText.of(key.longestWait()),
                                    key,
                                    delay != null
                                            ? "a delay of " + DurationText.of(delay)
                                            : options.due() != null ? "an instant" : "none"));
        }
    }

    private static boolean immediate(@Nullable Due due) {
        return due == null || (due.after() != null && due.after().isZero());
    }

    static String typeOf(JobRequest request) {
        return JobTypes.typeOf(request.payload().getClass());
    }

    /** The queue that the request names, or the one of its type. */
    String queueOf(JobRequest request) {
        String own = request.options().queue();
        if (own != null) {
            return own;
        }
        String declared = JobTypes.declaredQueueOf(request.payload().getClass());
        if (declared != null) {
            return declared;
        }
        String listened = listenerQueues.apply(typeOf(request));
        return listened != null ? listened : JobTemplate.DEFAULT_QUEUE;
    }

    private void requireSize(String type, String json) {
        if (json.length() * 3L <= maxPayloadBytes) {
            return; // fewer bytes than that whatever the characters are
        }
        long bytes = json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > maxPayloadBytes) {
            throw new PayloadTooLargeException(type, bytes, maxPayloadBytes);
        }
    }
}
