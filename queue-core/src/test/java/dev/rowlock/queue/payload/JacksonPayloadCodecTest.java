package dev.rowlock.queue.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.rowlock.queue.spi.PayloadException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

class JacksonPayloadCodecTest {

    record Order(int number, Duration patience, Instant at, UUID key, List<Item> items, Map<String, Integer> stock) {}

    record Item(String name, Grade grade) {}

    enum Grade {
        A,
        B
    }

    record Age(int years) {
        Age {
            if (years > 150) {
                throw new IllegalArgumentException("nobody is %d years old".formatted(years));
            }
        }
    }

    record Parcel(@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Content content) {}

    record AnyParcel(
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Object content) {}

    interface Content {}

    record Book(String title) implements Content {}

    record Dates(OffsetDateTime offset, ZonedDateTime zoned, LocalDate day, Instant instant) {}

    private final JacksonPayloadCodec codec = new JacksonPayloadCodec(List.of());

    @Test
    void anEncodedPayloadIsDecodedAsItWas() {
        Order order = new Order(
                7,
                Duration.ofSeconds(90),
                Instant.parse("2026-11-20T10:11:12.123456Z"),
                UUID.fromString("0b2f7b7e-4c0a-4a5e-9f57-0b1b3a2a6f11"),
                List.of(new Item("pen", Grade.A)),
                Map.of("north", 3));

        Object decoded = codec.decode(codec.encode(order), Order.class);

        assertThat(decoded).isEqualTo(order);
    }

    @Test
    void datesComeBackWithTheirOffsetAndZone() {
        Dates dates = new Dates(
                OffsetDateTime.parse("2026-11-20T10:11:12.123456789+02:00"),
                ZonedDateTime.parse("2026-11-20T10:11:12+01:00[Europe/Berlin]"),
                LocalDate.parse("2026-11-20"),
                Instant.parse("2026-11-20T10:11:12.123456789Z"));

        assertThat(codec.decode(codec.encode(dates), Dates.class)).isEqualTo(dates);
    }

    /** What is stored is read by releases to come. */
    @Test
    void theFormOfDocumentsStaysTheSame() {
        Order order = new Order(
                7,
                Duration.ofSeconds(90),
                Instant.parse("2026-11-20T10:11:12.500Z"),
                UUID.fromString("0b2f7b7e-4c0a-4a5e-9f57-0b1b3a2a6f11"),
                List.of(new Item("pen", Grade.A)),
                Map.of());

        assertThat(codec.encode(order))
                .isEqualTo(
                        "{\"number\":7,\"patience\":\"PT1M30S\",\"at\":\"2026-11-20T10:11:12.500Z\","
                                + "\"key\":\"0b2f7b7e-4c0a-4a5e-9f57-0b1b3a2a6f11\",\"items\":[{\"name\":\"pen\",\"grade\":\"A\"}],\"stock\":{}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"customer 19, ", "größe, ", "日本語, ", "\uD83D\uDE00, ", "\n\"\\"})
    void aLargeDocumentIsDecodedAsItWas(String piece) {
        Book book = new Book(piece.repeat(100_000 / piece.length()));

        Object decoded = codec.decode(codec.encode(book), Book.class);

        assertThat(decoded).isEqualTo(book);
    }

    @Test
    void aDocumentChoosesNoClassWhateverAnAnnotationAllows() {
        String json = "{\"content\": {\"@class\": \"%s\", \"title\": \"Emma\"}}".formatted(Book.class.getName());

        assertThatThrownBy(() -> codec.encode(new Parcel(new Book("Emma")))).isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> codec.decode(json, Parcel.class)).isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> codec.decode(json, AnyParcel.class)).isInstanceOf(PayloadException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 1_001, 1_500})
    void aNumberThatCouldNotBeReadIsRefusedWhenItIsWritten(int digits) {
        Map<String, BigInteger> payload =
                Map.of("number", BigInteger.TEN.pow(digits - 1).negate());

        if (digits <= 1_000) {
            assertThat(codec.decode(codec.encode(payload), new TypeReference<Map<String, BigInteger>>() {}.getType()))
                    .isEqualTo(payload);
        } else {
            assertThatThrownBy(() -> codec.encode(payload))
                    .isInstanceOf(PayloadException.class)
                    .hasMessageContaining("a number of %d digits where 1000 are read at most".formatted(digits))
                    .hasMessageNotContaining("00000");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[[[1]]]",
                "[[[[1]]]]",
                "{\"a\":{\"b\":[1]}}",
                "[12345]",
                "[-12345]",
                "[123456]",
                "[-123.45]",
                "[123.456]",
                "[1.5e10]",
                "[1.25E-100]",
                "[\"1234567\"]",
                "[\"123456789\"]",
                "[\"\\\"\\\"\\\"\\\"\\\"12\"]",
                "[\"\\u0041\\u0041345678\"]",
                "[\"\\\\\",\"\\\\\\\"12345\"]",
                "[\"\\\\\",\"\\\\\\\"12345678\"]",
                "[\"a\\\\\",\"b\\\"c\",\"\\n\"]",
                "{\"\\\"\\\"\\\"\":\"\\\\\"}",
                "{\"\\\"\\\"\\\"ab\":\"\\\\\"}",
                "{\"name\":1}",
                "{\"names\":1}",
                "{\"nam\":\"names\"}",
                "[true,false,null]",
                "[[],[],[[]]]",
                "\"[[[[\"",
                "12345",
                "123456",
                "[]",
                "[1,2,3,4,5,6,7,8,9,1,2,3]",
                "[1,2,3,4,5,6,7,8,9]",
                "[true,true,true,true,true]",
                "{\"a\":{},\"b\":[{}],\"c\":null}"
            })
    void theCodecRefusesExactlyWhatJacksonDoesNotRead(String json) {
        StreamReadConstraints limits = StreamReadConstraints.builder()
                .maxNestingDepth(3)
                .maxNumberLength(5)
                .maxStringLength(8)
                .maxNameLength(4)
                .maxTokenCount(12)
                .maxDocumentLength(28)
                .build();
        JsonMapper mapper = JsonMapper.builder(
                        JsonFactory.builder().streamReadConstraints(limits).build())
                .build();

        assertThat(new ReadableJson(limits).fault(json) == null).isEqualTo(reads(mapper, json));
    }

    private static boolean reads(JsonMapper mapper, String json) {
        try {
            mapper.readTree(json);
            return true;
        } catch (StreamConstraintsException e) {
            return false;
        }
    }

    @Test
    void genericTypesAreDecodedByTheirSignature() {
        Object decoded =
                codec.decode("[{\"name\": \"pen\", \"grade\": \"B\"}]", new TypeReference<List<Item>>() {}.getType());

        assertThat(decoded).isEqualTo(List.of(new Item("pen", Grade.B)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"number\": \"hunter2\"}",
                "{\"patience\": \"hunter2\"}",
                "{\"at\": \"hunter2\"}",
                "{\"key\": \"hunter2\"}",
                "{\"items\": [{\"grade\": \"hunter2\"}]}",
                "{\"items\": \"hunter2\"}",
                "{\"stock\": {\"hunter2\": \"x\"}}",
                "{\"number\": hunter2}",
                "{\"number\": 1} hunter2",
                "hunter2",
                "\"hunter2\"",
                "[\"hunter2\"]",
                "{\"number\": 1",
            })
    void errorsOfDecodingDoNotRepeatThePayload(String json) {
        PayloadException error = catchThrowableOfType(PayloadException.class, () -> codec.decode(json, Order.class));

        if (json.equals("{\"number\": 1} hunter2")) {
            assertThat(error == null || !trace(error).contains("hunter2")).isTrue();
            return;
        }
        assertThat(error).hasMessageContaining(Order.class.getName());
        assertThat(trace(error)).doesNotContain("hunter2");
    }

    @Test
    void anErrorOfDecodingSaysWhere() {
        PayloadException error = catchThrowableOfType(
                PayloadException.class,
                () -> codec.decode("{\"items\": [{\"name\": \"pen\"}, {\"grade\": \"C\"}]}", Order.class));

        assertThat(error).hasMessageContaining(".items[1].grade").hasMessageContaining("line 1, column");
    }

    @Test
    void aConstructorThatThrowsIsNamedWithoutItsMessage() {
        PayloadException error =
                catchThrowableOfType(PayloadException.class, () -> codec.decode("{\"years\": 4711}", Age.class));

        assertThat(error)
                .hasMessageContaining("java.lang.IllegalArgumentException from")
                .hasMessageContaining("JacksonPayloadCodecTest.java:");
        assertThat(trace(error)).doesNotContain("4711");
    }

    @Test
    void nullIsNoPayload() {
        PayloadException error = catchThrowableOfType(PayloadException.class, () -> codec.decode("null", Order.class));

        assertThat(error).hasMessageContaining("null");
    }

    @Test
    void anObjectThatHoldsItselfIsRefused() {
        List<Object> endless = new ArrayList<>();
        endless.add(endless);

        PayloadException error = catchThrowableOfType(PayloadException.class, () -> codec.encode(endless));

        assertThat(error).hasMessageContaining("ArrayList").hasMessageContaining("nest");
    }

    @Test
    void aTypeThatCannotBeConstructedIsRefusedByName() {
        PayloadException error = catchThrowableOfType(PayloadException.class, () -> codec.decode("{}", Runnable.class));

        assertThat(error).hasMessageContaining("Cannot construct instance of `java.lang.Runnable`");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\ud83d", "\ude00", "a\ud83d", "\ude00\ud83d", "\ud83d\ude00", "\u0000", "\uffff", "é\u2028"})
    void everyCharacterIsEncodedAndDecodedUnchanged(String text) {
        String json = codec.encode(new Item(text, Grade.A));

        assertThat(json).doesNotContain("?");
        assertThat(new String(
                        json.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                        java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo(json);
        assertThat(codec.decode(json, Item.class)).isEqualTo(new Item(text, Grade.A));
    }

    private static String trace(Throwable error) {
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }
}
