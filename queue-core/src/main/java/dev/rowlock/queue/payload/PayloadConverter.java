package dev.rowlock.queue.payload;

import tools.jackson.databind.JsonNode;

/**
 * Lifts the stored JSON of a payload class to its present shape: jobs that were enqueued by an older version of the
 * application wait, are retried and are redriven for days. A bean of this type is asked before each payload of its class is
 * read; several for one class are asked one after the other, in their order. Thread-safe.
 *
 * <pre>{@code
 * record SendMail(List<String> to) {}          // was: record SendMail(String to) {}
 *
 * @Bean
 * PayloadConverter severalRecipients() {
 *     return PayloadConverter.of(SendMail.class, json -> {
 *         if (json.get("to") instanceof StringNode one) {
 *             ((ObjectNode) json).putArray("to").add(one);
 *         }
 *         return json;
 *     });
 * }
 * }</pre>
 */
public interface PayloadConverter {

    /** The class whose payloads it knows; subclasses are not meant. */
    Class<?> payload();

    /**
     * Returns the document in the present shape. It may be so already: whatever is not of the old shape is returned as it
     * came. The document may be changed in place.
     */
    JsonNode convert(JsonNode stored);

    /** What turns an old document into a present one. */
    @FunctionalInterface
    interface Conversion {
        JsonNode convert(JsonNode stored);
    }

    /** A converter of a class's payloads. */
    static PayloadConverter of(Class<?> payload, Conversion conversion) {
        return new PayloadConverter() {
            @Override
            public Class<?> payload() {
                return payload;
            }

            @Override
            public JsonNode convert(JsonNode stored) {
                return conversion.convert(stored);
            }
        };
    }
}
