package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.job.RetryPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads the text attributes of a {@link JobListener}: placeholders and expressions replaced, empty ones as defaults.
 */
final class ListenerAttributes {

    private final JobListener annotation;
    private final StringValueResolver resolver;

    ListenerAttributes(JobListener annotation, StringValueResolver resolver) {
        this.annotation = annotation;
        this.resolver = resolver;
    }

    String queue(Class<?> payload) {
        String declared = JobTypes.declaredQueueOf(payload);
        return value(
                "queue", annotation.queue(), text -> text, declared != null ? declared : JobTemplate.DEFAULT_QUEUE);
    }

    @Nullable
    Integer concurrency() {
        return optional("concurrency", annotation.concurrency(), Integer::valueOf);
    }

    @Nullable
    Duration timeout() {
        return optional("timeout", annotation.timeout(), ListenerAttributes::duration);
    }

    @Nullable
    String transactionManager() {
        return optional("transactionManager", annotation.transactionManager(), text -> text);
    }

    RetryPolicy retry(RetryPolicy defaults) {
        Duration initial = value(
                "initialInterval",
                annotation.initialInterval(),
                ListenerAttributes::duration,
                defaults.initialInterval());
        return new RetryPolicy(
                value("maxRetries", annotation.maxRetries(), Integer::valueOf, defaults.maxRetries()),
                initial,
                value("multiplier", annotation.multiplier(), Double::valueOf, defaults.multiplier()),
                value("maxInterval", annotation.maxInterval(), ListenerAttributes::duration, defaults.maxInterval()),
                defaults.jitter());
    }

    private <T> T value(String attribute, String text, Function<String, T> reader, T whenEmpty) {
        return Objects.requireNonNullElse(optional(attribute, text, reader), whenEmpty);
    }

    private <T> @Nullable T optional(String attribute, String text, Function<String, T> reader) {
        if (text.isEmpty()) {
            return null;
        }
        String resolved = resolver.resolveStringValue(text);
        if (resolved == null || resolved.isBlank()) {
            return null;
        }
        try {
            return reader.apply(resolved.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("%s '%s' is not a number".formatted(attribute, resolved), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "%s '%s' is not valid: %s".formatted(attribute, resolved, e.getMessage()), e);
        }
    }

    private static Duration duration(String text) {
        try {
            return DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("write a duration such as 500ms, 30s, 5m or PT1H", e);
        }
    }
}
