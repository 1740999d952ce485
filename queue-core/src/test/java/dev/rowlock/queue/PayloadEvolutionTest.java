package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.payload.PayloadConverter;
import dev.rowlock.queue.spi.PayloadException;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Payloads that an older version of the application has written, as docs/payloads.md describes. */
class PayloadEvolutionTest {

    /** Version 2; in version 1 it was {@code record SendMail(String to)}. */
    @JobType(
            value = "send-mail",
            formerNames = {"SendMail", "mail"})
    record SendMail(List<String> to, @Nullable String language) {}

    private static final PayloadConverter SEVERAL_RECIPIENTS = PayloadConverter.of(SendMail.class, json -> {
        if (json.get("to") instanceof StringNode one) {
            ((ObjectNode) json).putArray("to").add(one);
        }
        return json;
    });

    private static final PayloadConverter LANGUAGE = PayloadConverter.of(SendMail.class, json -> {
        if (!json.has("language")) {
            ((ObjectNode) json).put("language", "en");
        }
        return json;
    });

    private final JacksonPayloadCodec codec =
            new JacksonPayloadCodec(JsonMapper.builder().build(), List.of(SEVERAL_RECIPIENTS, LANGUAGE));

    @Test
    void aConverterLiftsAnOldPayloadToThePresentShape() {
        assertThat(codec.decode("{\"to\": \"ada@example.org\"}", SendMail.class))
                .isEqualTo(new SendMail(List.of("ada@example.org"), "en"));
    }

    @Test
    void aPresentPayloadStaysAsItIs() {
        SendMail present = new SendMail(List.of("ada@example.org", "bob@example.org"), "de");

        assertThat(codec.decode(codec.encode(present), SendMail.class)).isEqualTo(present);
    }

    @Test
    void aConverterIsAskedAboutItsClassOnly() {
        record Other(String to) {}

        assertThat(codec.decode("{\"to\": \"ada\"}", Other.class)).isEqualTo(new Other("ada"));
    }

    @Test
    void aConverterThatFailsFailsThePayload() {
        JacksonPayloadCodec broken = new JacksonPayloadCodec(
                JsonMapper.builder().build(), List.of(PayloadConverter.of(SendMail.class, json -> {
                    throw new IllegalStateException("not this one");
                })));

        assertThatThrownBy(() -> broken.decode("{}", SendMail.class)).hasMessageContaining("not this one");
    }

    @Test
    void theFormerNamesOfAClassAreKnown() {
        assertThat(JobTypes.typeOf(SendMail.class)).isEqualTo("send-mail");
        assertThat(JobTypes.formerTypesOf(SendMail.class)).containsExactly("SendMail", "mail");
    }

    // Documents of which the class knows nothing

    record Address(
            String street, @JsonAlias("town") @Nullable String city) {}

    record Nothing() {}

    record Anything(String street, @JsonAnySetter Map<String, Object> more) {}

    record Unwrapped(@JsonUnwrapped Address address) {}

    record Told(Map<String, Object> all) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static Told of(Map<String, Object> all) {
            return new Told(all);
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    record Lenient(String street) {}

    @ParameterizedTest
    @ValueSource(classes = {Address.class, Anything.class, Lenient.class, Triangle.class})
    void aDocumentOfWhichTheClassKnowsNoPropertyIsRefused(Class<?> payload) {
        PayloadException refused = catchThrowableOfType(
                PayloadException.class,
                () -> codec.decode("{\"street_name\": {\"street\": 1}, \"town_name\": \"hunter2\"}", payload));

        if (payload == Anything.class) {
            assertThat(refused).isNull();
        } else {
            assertThat(refused).hasMessageContaining(payload.getName()).hasMessageContaining("knows none of them");
            assertThat(refused).hasMessageNotContaining("town_name").hasMessageNotContaining("hunter2");
        }
    }

    @Test
    void aDocumentMayHaveLessThanTheClassKnowsAndMore() {
        assertThat(codec.decode("{}", Address.class)).isEqualTo(new Address(null, null));
        assertThat(codec.decode("{\"street_name\": 1, \"street\": \"x\"}", Address.class))
                .isEqualTo(new Address("x", null));
        assertThat(codec.decode("{\"town\": \"y\"}", Address.class)).isEqualTo(new Address(null, "y"));
        assertThat(codec.decode("{\"street\": \"x\"}", Nothing.class)).isEqualTo(new Nothing());
        assertThat(codec.decode("{\"street\": \"x\"}", Unwrapped.class))
                .isEqualTo(new Unwrapped(new Address("x", null)));
        assertThat(codec.decode("{\"street\": \"x\"}", Told.class)).isEqualTo(new Told(Map.of("street", "x")));
        assertThat(codec.decode("{\"@type\": \"triangle\"}", Triangle.class)).isEqualTo(new Triangle(null));
        assertThat(codec.decode("{\"STREET\": \"x\"}", Map.class)).isEqualTo(Map.of("STREET", "x"));
    }

    @Test
    void aNameThatIsWrittenWithEscapesIsKnownToo() {
        assertThat(codec.decode("{\"\\u0073treet\": \"x\"}", Address.class)).isEqualTo(new Address("x", null));
    }

    @Test
    void namesMayDifferInCaseWhereTheMapperIgnoresIt() {
        JacksonPayloadCodec lax = new JacksonPayloadCodec(JsonMapper.builder()
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)
                .build());

        assertThat(lax.decode("{\"STREET\": \"x\"}", Address.class)).isEqualTo(new Address("x", null));
        assertThatThrownBy(() -> codec.decode("{\"STREET\": \"x\"}", Address.class))
                .isInstanceOf(PayloadException.class);
    }

    @Test
    void aConverterMayKnowADocumentOfWhichTheClassKnowsNothing() {
        JacksonPayloadCodec converting = new JacksonPayloadCodec(List.of(PayloadConverter.of(Address.class, json -> {
            if (json.has("street_name")) {
                ((ObjectNode) json).set("street", json.get("street_name"));
            }
            return json;
        })));

        assertThat(converting.decode("{\"street_name\": \"x\"}", Address.class)).isEqualTo(new Address("x", null));
        assertThatThrownBy(() -> converting.decode("{\"streetName\": \"x\"}", Address.class))
                .hasMessageContaining("knows none of them");
    }

    // Classes are never chosen by documents

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface ByClass {}

    record OfClass(int number) implements ByClass {}

    record Holder(
            @JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS)
            Object content) {}

    record Deep(List<Map<String, Holder>> holders) {}

    @ParameterizedTest
    @ValueSource(classes = {OfClass.class, Holder.class, Deep.class, ByClass.class})
    void aPayloadWhoseJsonWouldNameAClassIsRefusedAtTheStart(Class<?> payload) {
        assertThatThrownBy(() -> codec.check((Type) payload))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("names the Java class")
                .hasMessageContaining("use = NAME");
    }

    @Test
    void aPayloadWhoseJsonNamesAClassIsRefusedWhenItIsEnqueuedAndWhenItIsRead() {
        assertThatThrownBy(() -> codec.encode(new OfClass(1)))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("names the Java class");
        assertThatThrownBy(() -> codec.encode(new OfClass(1))).isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> codec.decode("{\"content\": {\"@class\": \"java.lang.Object\"}}", Holder.class))
                .isInstanceOf(PayloadException.class);
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Square.class, name = "square"),
        @JsonSubTypes.Type(value = Triangle.class, name = "triangle")
    })
    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    record Triangle(@Nullable Integer side) implements Shape {}

    record Draw(List<Shape> shapes) {}

    @Test
    void logicalTypeNamesAreAllowed() {
        Draw draw = new Draw(List.of(new Circle(1), new Square(2)));

        codec.check(Draw.class);
        assertThat(codec.decode(codec.encode(draw), Draw.class)).isEqualTo(draw);
    }

    /** A mapper of the application may allow both. */
    @Test
    void payloadsMayNotUseWhatTheApplicationsMapperAllowsElsewhere() {
        JsonMapper lax = JsonMapper.builder()
                .activateDefaultTyping(
                        tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator.builder()
                                .allowIfBaseType(Object.class)
                                .build(),
                        tools.jackson.databind.DefaultTyping.NON_FINAL_AND_RECORDS)
                .build();

        JacksonPayloadCodec strict = new JacksonPayloadCodec(lax);

        assertThat(strict.encode(new Circle(1))).contains("\"radius\":1").doesNotContain("dev.rowlock");
        assertThatThrownBy(() -> strict.check(Holder.class)).isInstanceOf(PayloadException.class);
    }
}
