package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Results of listeners, as JSON of limited size. */
public final class Results {

    private final PayloadCodec codec;
    private final Encryption encryption;
    private final long maxBytes;

    public Results(PayloadCodec codec, Encryption encryption, long maxBytes) {
        this.codec = codec;
        this.encryption = encryption;
        this.maxBytes = maxBytes;
    }

    /** Whatever a codec of the application does: a result that cannot be kept is that, and no failure of the handler. */
    private String encoded(Object result) {
        try {
            return Objects.requireNonNull(codec.encode(result), "the codec returned null");
        } catch (PayloadException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw new PayloadException(
                    "the result cannot be encoded: " + e.getClass().getName(), e);
        }
    }

    /** Most texts have fewer bytes than that whatever their characters are. */
    static boolean fits(String json, long maxBytes) {
        return json.length() * 3L <= maxBytes || json.getBytes(StandardCharsets.UTF_8).length <= maxBytes;
    }

    /** Returns the JSON as it is stored with the job; null for null. Throws a {@link PayloadException} for what cannot be kept. */
    public @Nullable String encode(long job, @Nullable Object result) {
        if (result == null) {
            return null;
        }
        String json = encoded(result);
        if (!fits(json, maxBytes)) {
            throw new PayloadException(
                    "the result has more than %d bytes as JSON: store it elsewhere and return a reference"
                            .formatted(maxBytes),
                    null);
        }
        return encryption.seal(Part.RESULT, job, json);
    }
}
