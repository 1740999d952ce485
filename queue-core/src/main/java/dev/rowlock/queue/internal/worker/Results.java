package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What listeners return, as JSON of limited size. */
final class Results {

    private final PayloadCodec codec;
    private final long maxBytes;

    Results(PayloadCodec codec, long maxBytes) {
        this.codec = codec;
        this.maxBytes = maxBytes;
    }

    /** Returns the JSON; null for null. Throws a {@link PayloadException} for what cannot be kept. */
    @Nullable
    String encode(@Nullable Object result) {
        if (result == null) {
            return null;
        }
        String json = codec.encode(result);
        if (json.length() * 3L > maxBytes && json.getBytes(StandardCharsets.UTF_8).length > maxBytes) {
            throw new PayloadException(
                    "the result has more than %d bytes as JSON: store it elsewhere and return a reference"
                            .formatted(maxBytes),
                    null);
        }
        return json;
    }
}
