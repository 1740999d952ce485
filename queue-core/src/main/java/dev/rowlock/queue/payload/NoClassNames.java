package dev.rowlock.queue.payload;

import dev.rowlock.queue.spi.PayloadException;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;

/**
 * Refuses classes whose documents name the class that they become, such as those with {@code @JsonTypeInfo(use = CLASS)}: who
 * writes into the table, or sends the data that ends up there, could choose a class, and renaming one would break its jobs.
 * Logical names ({@code use = NAME}) are none of its business.
 */
final class NoClassNames extends PolymorphicTypeValidator {

    private static final long serialVersionUID = 1L;

    @Override
    public Validity validateBaseType(DatabindContext context, JavaType base) {
        throw refusal(base);
    }

    @Override
    public Validity validateSubClassName(DatabindContext context, JavaType base, String subClassName) {
        throw refusal(base);
    }

    @Override
    public Validity validateSubType(DatabindContext context, JavaType base, JavaType subType) {
        throw refusal(base);
    }

    private static PayloadException refusal(JavaType base) {
        return new PayloadException(
                "%s cannot be part of a payload, because its JSON names the Java class to make: use @JsonTypeInfo(use = NAME) with @JsonSubTypes"
                        .formatted(base.getRawClass().getName()),
                null);
    }
}
