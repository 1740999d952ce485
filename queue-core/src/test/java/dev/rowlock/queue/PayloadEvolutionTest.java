package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
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
        @JsonSubTypes.Type(value = Square.class, name = "square")
    })
    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

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
