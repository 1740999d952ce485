package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.RetryStrategy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads the text attributes of a {@link JobListener}: placeholders and expressions replaced, empty ones as defaults.
 */
final class ListenerAttributes {

    private final JobListener annotation;
    private final StringValueResolver resolver;
    private final String defaultQueue;

    ListenerAttributes(JobListener annotation, StringValueResolver resolver) {
        this(annotation, resolver, JobTemplate.DEFAULT_QUEUE);
    }

    /** @param defaultQueue where neither the annotation nor the payload names one */
    ListenerAttributes(JobListener annotation, StringValueResolver resolver, String defaultQueue) {
        this.annotation = annotation;
        this.resolver = resolver;
        this.defaultQueue = defaultQueue;
    }

    String id(String type) {
        return value("id", annotation.id(), text -> text, type);
    }

    @Nullable
    Boolean autoStartup() {
        return optional("autoStartup", annotation.autoStartup(), ListenerAttributes::flag);
    }

    private static Boolean flag(String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("write true or false");
        }
        return Boolean.valueOf(text);
    }

    JobListener annotation() {
        return annotation;
    }

    String queue(Class<?> payload) {
        String declared = JobTypes.declaredQueueOf(payload);
        return value("queue", annotation.queue(), text -> text, declared != null ? declared : defaultQueue);
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

    /** @param beans finds a strategy by the name of its bean */
    RetryStrategy retry(RetryPolicy defaults, Function<String, RetryStrategy> beans) {
        String attributes = annotation.maxRetries()
                + annotation.initialInterval()
                + annotation.multiplier()
                + annotation.maxInterval()
                + annotation.jitter()
                + annotation.retryIntervals()
                + annotation.giveUpAfter();
        RetryStrategy named = optional("retryStrategy", annotation.retryStrategy(), beans);
        if (named == null) {
            return attributes.isEmpty() ? defaults : retry(defaults);
        }
        if (!attributes.isEmpty()) {
            throw new IllegalArgumentException(
                    "retryStrategy decides alone: remove the other attributes about retries, or the strategy");
        }
        return named;
    }

    /** What the annotation says decides; all it says nothing about is as the defaults are. */
    private RetryPolicy retry(RetryPolicy defaults) {
        Integer maxRetries = optional("maxRetries", annotation.maxRetries(), Integer::valueOf);
        Duration giveUpAfter = optional("giveUpAfter", annotation.giveUpAfter(), ListenerAttributes::duration);
        List<Duration> intervals =
                optional("retryIntervals", annotation.retryIntervals(), ListenerAttributes::durations);
        RetryPolicy policy = intervals != null ? intervals(intervals) : exponential(defaults);
        if (maxRetries != null) {
            policy = policy.maxRetries(maxRetries);
        } else if (giveUpAfter == null && intervals == null) {
            policy = policy.maxRetries(defaults.maxRetries());
        }
        Duration time = giveUpAfter != null ? giveUpAfter : defaults.giveUpAfter();
        policy = time == null ? policy : policy.giveUpAfter(time);
        return policy.jitter(
                value("jitter", annotation.jitter(), Double::valueOf, intervals != null ? 0.0 : defaults.jitter()));
    }

    private RetryPolicy intervals(List<Duration> intervals) {
        if (!(annotation.initialInterval() + annotation.multiplier() + annotation.maxInterval()).isEmpty()) {
            throw new IllegalArgumentException(
                    "retryIntervals name each wait, and initialInterval, multiplier and maxInterval compute them: give the one or the others");
        }
        return RetryPolicy.intervals(intervals);
    }

    private RetryPolicy exponential(RetryPolicy defaults) {
        return RetryPolicy.exponential(
                value(
                        "initialInterval",
                        annotation.initialInterval(),
                        ListenerAttributes::duration,
                        defaults.initialInterval()),
                value("multiplier", annotation.multiplier(), Double::valueOf, defaults.multiplier()),
                value("maxInterval", annotation.maxInterval(), ListenerAttributes::duration, defaults.maxInterval()));
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

    private static List<Duration> durations(String text) {
        return Stream.of(text.split(","))
                .map(String::strip)
                .map(ListenerAttributes::duration)
                .toList();
    }

    private static Duration duration(String text) {
        try {
            return DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("write a duration such as 500ms, 30s, 5m or PT1H", e);
        }
    }
}
