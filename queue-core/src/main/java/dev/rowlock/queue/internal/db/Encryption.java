package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.spi.PayloadException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Documents as they lie in the tables: sealed by AES-GCM where there are keys. A sealed one is the JSON object {@code {"$enc":"<id of the key>",
 * "data":"<base64 of nonce, ciphertext and tag>"}}. Stands between codecs and statements, so that codecs, listeners and searches see clear text.
 * Documents that are not sealed are read as they are: those from before there were keys, and those that SQL has written.
 *
 * <p>The tag covers what the document is and whose, so that a sealed one means nothing elsewhere: payloads are bound to the type of their job,
 * because a recurring job's is copied into jobs whose ids nobody knows yet; all others are bound to the id of their job. Thread-safe.
 */
public final class Encryption {

    /** What a document is. */
    public enum Part {
        /** Of jobs of a type. */
        PAYLOAD,
        /** Of a job. */
        RESULT,
        /** Of a job. */
        CHECKPOINT,
        /** Of a job. */
        ERROR
    }

    /** There are no keys. */
    public static final Encryption NONE = new Encryption(null);

    /** Names the key. Users' documents may not begin with it. */
    public static final String MARK = "$enc";

    static final String DATA = "data";

    /** It may have been written anew by somebody, with spaces. */
    private static final Pattern SEALED = Pattern.compile("\\s*\\{\\s*\"\\$enc\"\\s*:");

    /** What was sealed is opened, however large it is. */
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .build();

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final @Nullable EncryptionKeys keys;

    private Encryption(@Nullable EncryptionKeys keys) {
        this.keys = keys;
    }

    /**
     * Seals by the current one of these keys, once it has been tried.
     *
     * @throws IllegalArgumentException if that does not work
     */
    public static Encryption by(EncryptionKeys keys) {
        Encryption encryption = new Encryption(keys);
        try {
            String sealed = encryption.seal(Part.PAYLOAD, "try", "{}");
            encryption.open(Part.PAYLOAD, "try", sealed);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("the encryption keys do not work: " + e.getMessage(), e);
        }
        return encryption;
    }

    /** Whether what is written is sealed. */
    public boolean seals() {
        return keys != null && keys.current() != null;
    }

    /** Whether there are keys at all. */
    public boolean opens() {
        return keys != null;
    }

    /** Whether a document is sealed. */
    public static boolean isSealed(String json) {
        return SEALED.matcher(json).lookingAt();
    }

    /**
     * A document as it is to be stored.
     *
     * @param of the type or the id of the job
     * @throws PayloadException if it cannot be told from a sealed one
     * @throws IllegalStateException if there is no current key
     */
    public String seal(Part part, Object of, String json) {
        if (isSealed(json)) {
            throw new PayloadException(
                    "a document whose first property is \"%s\" cannot be stored: that name marks encrypted ones"
                            .formatted(MARK),
                    null);
        }
        EncryptionKeys from = keys;
        String current = from == null ? null : from.current();
        if (from == null || current == null) {
            return json;
        }
        String id = EncryptionKeys.validId(current);
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        byte[] clear = json.getBytes(StandardCharsets.UTF_8);
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, key(from, id), nonce, part, of);
            ByteBuffer sealed = ByteBuffer.allocate(NONCE_BYTES + cipher.getOutputSize(clear.length))
                    .put(nonce);
            sealed.put(cipher.doFinal(clear));
            String data = Base64.getEncoder().encodeToString(sealed.array());
            return "{\"" + MARK + "\":\"" + id + "\",\"" + DATA + "\":\"" + data + "\"}";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "encryption key '%s' does not encrypt: %s".formatted(id, e.getMessage()), e);
        }
    }

    private static SecretKey key(EncryptionKeys keys, String id) {
        return keys.key(id)
                .orElseThrow(() -> new IllegalStateException(
                        "the current encryption key '%s' is not there, so nothing can be encrypted".formatted(id)));
    }

    /**
     * A stored document as it was before it was sealed.
     *
     * @param of the type or the id of the job
     * @throws PayloadException if its key is not here, or it was sealed for something else
     */
    public String open(Part part, Object of, String json) {
        if (!isSealed(json)) {
            return json;
        }
        JsonNode envelope = envelope(json);
        String id = envelope.path(MARK).asString("");
        String what = part.name().toLowerCase(Locale.ROOT);
        SecretKey key = known(id, what);
        try {
            byte[] sealed = Base64.getDecoder().decode(envelope.path(DATA).asString(""));
            if (sealed.length < NONCE_BYTES) {
                throw new AEADBadTagException();
            }
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, key, sealed, part, of);
            return new String(cipher.doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES), StandardCharsets.UTF_8);
        } catch (AEADBadTagException | IllegalArgumentException e) {
            throw new PayloadException(
                    "the %s is not what was encrypted with key '%s': it was changed or moved here, or the key is another one"
                            .formatted(what, id),
                    null);
        } catch (GeneralSecurityException | RuntimeException e) { // providers throw both
            throw new PayloadException(
                    "the %s, encrypted with key '%s', cannot be decrypted: %s".formatted(what, id, e.getMessage()), e);
        }
    }

    private static JsonNode envelope(String json) {
        try {
            return JSON.readTree(json);
        } catch (JacksonException e) {
            throw new PayloadException("an encrypted document is no JSON any more", null);
        }
    }

    private SecretKey known(String id, String what) {
        EncryptionKeys from = keys;
        if (from == null) {
            throw new PayloadException(
                    "the %s is encrypted with key '%s', and this application has no keys (rowlock.encryption.keys)"
                            .formatted(what, id),
                    null);
        }
        try {
            return from.key(id)
                    .orElseThrow(() -> new PayloadException(
                            "the %s is encrypted with key '%s', which this application does not have (rowlock.encryption.keys.%s)"
                                    .formatted(what, id, id),
                            null));
        } catch (PayloadException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new PayloadException("encryption key '%s' cannot be had".formatted(id), e);
        }
    }

    /**
     * As {@link #open}, for those who only look: where it cannot be opened, a JSON text that says so.
     *
     * @param json null for null
     */
    public @Nullable String shown(Part part, Object of, @Nullable String json) {
        if (json == null || !isSealed(json)) {
            return json;
        }
        try {
            return open(part, of, json);
        } catch (PayloadException e) {
            return JSON.writeValueAsString("(encrypted: " + e.getMessage() + ")");
        }
    }

    /** @param begin the nonce, with or without what follows it */
    private static Cipher cipher(int mode, SecretKey key, byte[] begin, Part part, Object of)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, begin, 0, NONCE_BYTES));
        cipher.updateAAD(("rowlock " + part + "\n" + of).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
