package dev.rowlock.queue.spi;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys by which payloads, results, checkpoints and errors are encrypted where they are stored. Implement it for keys of a key
 * management service; {@link #of} takes them from memory. Asked for each document that is written or read, on whatever thread does
 * that: keep keys in memory. Thread-safe.
 */
public interface EncryptionKeys {

    /**
     * The id of the key that encrypts from now on. It is stored with each document: up to 64 letters, digits, dots, dashes or underscores. Null:
     * nothing is encrypted any more, and what was can be read. What it throws fails the enqueue or the attempt; an error of an attempt is then kept
     * without its message.
     */
    @Nullable
    String current();

    /**
     * The AES key of this id, of 128, 192 or 256 bits. Empty: there is none, and what it has encrypted cannot be read here. What it
     * throws fails the enqueue or the attempt.
     */
    Optional<SecretKey> key(String id);

    /**
     * Keys of 256 bits. The current one encrypts, all of them decrypt.
     *
     * @param current null: none encrypts
     * @param keys 32 bytes each, by id
     * @throws IllegalArgumentException if an id is none, a key has another length, or the current one is not among them. No key is in the message.
     */
    static EncryptionKeys of(@Nullable String current, Map<String, byte[]> keys) {
        Map<String, SecretKey> all = new TreeMap<>();
        keys.forEach((id, key) -> {
            String valid = validId(id);
            if (key.length != 32) {
                throw new IllegalArgumentException(
                        "encryption key '%s' has %d bytes; it must have 32, for AES-256".formatted(valid, key.length));
            }
            all.put(valid, new SecretKeySpec(key, "AES"));
        });
        if (current != null && !all.containsKey(current)) {
            // What is long may be the key itself, in the place of its id.
            throw new IllegalArgumentException("the current encryption key %s is not among the keys %s"
                    .formatted(
                            current.length() > 20 ? "(%d characters)".formatted(current.length()) : "'" + current + "'",
                            all.keySet()));
        }
        return new EncryptionKeys() {
            @Override
            public @Nullable String current() {
                return current;
            }

            @Override
            public Optional<SecretKey> key(String id) {
                return Optional.ofNullable(all.get(id));
            }

            /** The ids only. */
            @Override
            public String toString() {
                return "encryption keys %s, of which %s encrypts"
                        .formatted(all.keySet(), current == null ? "none" : "'" + current + "'");
            }
        };
    }

    /** @throws IllegalArgumentException if that is no id of a key */
    static String validId(String id) {
        if (!Pattern.matches("[A-Za-z0-9._-]{1,64}", id)) {
            // Perhaps the key itself stands where its id should.
            throw new IllegalArgumentException(
                    "the id of an encryption key, of %d characters, must have 1 to 64 letters, digits, dots, dashes or underscores"
                            .formatted(id.length()));
        }
        return id;
    }
}
