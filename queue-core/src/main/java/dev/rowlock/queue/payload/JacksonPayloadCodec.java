package dev.rowlock.queue.payload;

import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads as JSON by Jackson. A payload's class comes from the listener's signature, never from the document: default typing
 * is switched off, and classes whose JSON names a Java class are refused. {@link PayloadConverter}s see documents before they
 * are read. A document of which the class knows no property is refused, for it would become an object of nulls. What the mapper could
 * write but would refuse to read, such as a number of more than a thousand digits, is refused when it is written. Errors say what is
 * wrong and where, without a word of the payload.
 */
public final class JacksonPayloadCodec implements PayloadCodec {

    private static final Logger log = LoggerFactory.getLogger(JacksonPayloadCodec.class);

    /** Longer texts Jackson reads in pieces. It takes 5.6 ms for a megabyte, and 2.5 ms for the same as bytes. */
    private static final int LARGE = 1 << 15;

    /** So many documents of a class are read back. The first may have an empty list where others have what cannot be read. */
    private static final int READ_BACK = 100;

    private final JsonMapper mapper;
    private final KnownProperties properties;
    private final Map<Class<?>, List<PayloadConverter>> converters;
    private final ReadableJson readable;
    // As many as there are payload classes.
    private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();
    private final Map<Class<?>, AtomicInteger> readBack = new ConcurrentHashMap<>();

    /** By Rowlock's own mapper: see {@link #mapperBuilder}. */
    public JacksonPayloadCodec(List<PayloadConverter> converters) {
        this(mapperBuilder().build(), converters);
    }

    /**
     * @param mapper decides what stored jobs mean, so it must stay the same from one release of the application to the next, and its settings must
     *     be for jobs alone
     */
    public JacksonPayloadCodec(JsonMapper mapper) {
        this(mapper, List.of());
    }

    /** @param converters those of one class are asked in their order */
    public JacksonPayloadCodec(JsonMapper mapper, List<PayloadConverter> converters) {
        this.mapper = mapper.rebuild()
                .deactivateDefaultTyping()
                .polymorphicTypeValidator(new NoClassNames())
                .build();
        this.converters = converters.stream().collect(Collectors.groupingBy(PayloadConverter::payload));
        this.properties = new KnownProperties(this.mapper);
        this.readable = new ReadableJson(mapper.tokenStreamFactory().streamReadConstraints());
    }

    /**
     * The mapper by which Rowlock writes and reads payloads, to be changed for a codec of one's own: Jackson with the modules that are on the class
     * path, such as Kotlin's. Nothing that an application sets for its web layer reaches it. Dates come back with the offset and
     * the zone that they had.
     */
    public static JsonMapper.Builder mapperBuilder() {
        return JsonMapper.builder()
                .findAndAddModules()
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE);
    }

    @Override
    public String encode(Object value) {
        if (!checked.contains(value.getClass())) {
            requireNoClassNames(value.getClass());
            checked.add(value.getClass());
        }
        String json = write(value);
        String fault = readable.fault(json);
        if (fault != null) {
            throw new PayloadException(
                    "%s makes JSON that could not be read again: %s, see StreamReadConstraints of its JsonMapper"
                            .formatted(value.getClass().getName(), fault),
                    null);
        }
        return json;
    }

    private String write(Object value) {
        try {
            return encodable(mapper.writeValueAsString(value));
        } catch (JacksonException | StackOverflowError e) {
            throw new PayloadException(
                    "%s does not serialize to JSON: %s"
                            .formatted(value.getClass().getName(), JsonFault.describe(e)),
                    JsonFault.origin(e));
        }
    }

    @Override
    public Object decode(String json, Type type) {
        try {
            Object value = read(json, mapper.constructType(type));
            if (value == null) {
                throw new PayloadException(
                        "the payload is null where %s is expected".formatted(type.getTypeName()), null);
            }
            return value;
        } catch (JacksonException | StackOverflowError e) {
            // No cause: whoever refused a value tends to repeat it.
            throw new PayloadException(
                    "the payload is no %s: %s".formatted(type.getTypeName(), JsonFault.describe(e)), null);
        }
    }

    private @Nullable Object read(String json, JavaType type) {
        List<PayloadConverter> known = converters.get(type.getRawClass());
        if (known == null) {
            requireNoFault(properties.fault(json, type), type);
            byte[] ascii = largeAscii(json);
            return ascii == null ? mapper.readValue(json, type) : mapper.readValue(ascii, type);
        }
        JsonNode document = mapper.readTree(json);
        for (PayloadConverter converter : known) {
            document = converter.convert(document);
        }
        requireNoFault(properties.fault(document, type), type);
        return mapper.treeToValue(document, type);
    }

    private static void requireNoFault(@Nullable String fault, JavaType type) {
        if (fault != null) {
            throw new PayloadException(
                    "the payload is no %s: %s. A PayloadConverter may lift it to the present shape"
                            .formatted(type.getRawClass().getName(), fault),
                    null);
        }
    }

    /** Null for a short document, and for one that has other characters: Jackson reads those more quickly as they are. */
    private static byte @Nullable [] largeAscii(String json) {
        if (json.length() < LARGE) {
            return null;
        }
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return bytes.length == json.length() ? bytes : null;
    }

    @Override
    public void check(Type type) {
        requireNoClassNames(type);
    }

    /** Generic classes are left out: only a listener knows their type arguments. */
    @Override
    public void checkReadable(String json, Class<?> written) {
        if (written.getTypeParameters().length > 0 || written.isAnonymousClass()) {
            return;
        }
        AtomicInteger count = readBack.computeIfAbsent(written, type -> new AtomicInteger());
        if (count.get() >= READ_BACK) {
            return;
        }
        try {
            decode(json, written);
        } catch (PayloadException e) {
            throw unreadable(written, String.valueOf(e.getMessage()));
        }
        if (properties.losesAll(json, mapper.constructType(written))) {
            throw unreadable(written, "none of its properties can be set");
        }
        List<String> unwritten = json.equals("{}") ? properties.unwritten(written) : List.of();
        if (!unwritten.isEmpty()) {
            throw new PayloadException(
                    "%s is written as JSON without its fields (%s), and would come back empty: use a record, or give it getters. What is no data is static or transient, or has @JsonIgnore"
                            .formatted(written.getName(), String.join(", ", unwritten)),
                    null);
        }
        count.incrementAndGet();
    }

    private static PayloadException unreadable(Class<?> written, String fault) {
        return new PayloadException(
                "%s can be written as JSON, and could not be read again: %s. Payloads must come back as they were: use a record, or a class whose constructor or setters take its properties"
                        .formatted(written.getName(), fault),
                null);
    }

    /** To read null makes the mapper look at all that the type consists of, and none of it. */
    private void requireNoClassNames(Type type) {
        try {
            mapper.readValue("null", mapper.constructType(type));
        } catch (PayloadException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            // What else may be wrong with it, the first payload tells, with the place.
            log.debug("{} cannot be read as a whole", type.getTypeName(), e);
        }
    }

    /** Unpaired surrogates have no UTF-8 and would arrive as question marks; as escapes they travel. */
    private static String encodable(String json) {
        if (largeAscii(json) != null) {
            return json;
        }
        for (int i = 0; i < json.length(); i++) {
            if (Character.isSurrogate(json.charAt(i))) {
                return escaped(json, i);
            }
        }
        return json;
    }

    private static String escaped(String json, int from) {
        StringBuilder text = new StringBuilder(json.length() + 16).append(json, 0, from);
        int i = from;
        while (i < json.length()) {
            int point = json.codePointAt(i);
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                text.append("\\u%04x".formatted(point)); // inside a string: JSON has no surrogates elsewhere
            } else {
                text.appendCodePoint(point);
            }
            i += Character.charCount(point);
        }
        return text.toString();
    }
}
