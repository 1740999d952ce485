package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.Limited;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.RetryStrategy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads the text attributes of a {@link JobListener}: placeholders and expressions replaced, empty ones as defaults.
 */
final class ListenerAttributes {

    private final JobListener annotation;
    private final TextAttributes texts;
    private final String defaultQueue;

    ListenerAttributes(JobListener annotation, StringValueResolver resolver) {
        this(annotation, resolver, JobTemplate.DEFAULT_QUEUE);
    }

    /** @param defaultQueue where neither the annotation nor the payload names one */
    ListenerAttributes(JobListener annotation, StringValueResolver resolver, String defaultQueue) {
        this.annotation = annotation;
        this.texts = new TextAttributes(resolver);
        this.defaultQueue = defaultQueue;
    }

    String id(String type) {
        return texts.value("id", annotation.id(), text -> text, type);
    }

    @Nullable
    Boolean autoStartup() {
        return texts.optional("autoStartup", annotation.autoStartup(), ListenerAttributes::flag);
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

    /**
     * What {@link Limited} says beside it; null without one.
     *
     * @throws IllegalArgumentException if that cannot be
     */
    @Nullable
    UnaryOperator<QueueLimit> limit(Method method, String queue) {
        Limited limited = AnnotatedElementUtils.findMergedAnnotation(method, Limited.class);
        if (limited == null) {
            return null;
        }
        QueueLimit limit = new QueueLimit(
                queue,
                texts.optional("maxRunning", limited.maxRunning(), Integer::valueOf),
                texts.optional("maxRunningPerKey", limited.maxRunningPerKey(), Integer::valueOf),
                texts.optional("burstPerKey", limited.burstPerKey(), Integer::valueOf),
                texts.optional("rate", limited.rate(), Rate::valueOf),
                texts.optional("ratePerKey", limited.ratePerKey(), Rate::valueOf),
                texts.optional("inOrder", limited.inOrder(), AfterFailure::of));
        return none -> limit;
    }

    String queue(Class<?> payload) {
        String declared = JobTypes.declaredQueueOf(payload);
        return texts.value("queue", annotation.queue(), text -> text, declared != null ? declared : defaultQueue);
    }

    @Nullable
    Integer concurrency() {
        return texts.optional("concurrency", annotation.concurrency(), Integer::valueOf);
    }

    /** The most jobs of one call; null: the listener runs one at a time. */
    @Nullable
    Integer batch() {
        return texts.optional("batch", annotation.batch(), Integer::valueOf);
    }

    @Nullable
    Duration linger() {
        return texts.optional("linger", annotation.linger(), TextAttributes::duration);
    }

    @Nullable
    Duration timeout() {
        return texts.optional("timeout", annotation.timeout(), TextAttributes::duration);
    }

    @Nullable
    String transactionManager() {
        return texts.optional("transactionManager", annotation.transactionManager(), text -> text);
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
        RetryStrategy named = texts.optional("retryStrategy", annotation.retryStrategy(), beans);
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
        Integer maxRetries = texts.optional("maxRetries", annotation.maxRetries(), Integer::valueOf);
        Duration giveUpAfter = texts.optional("giveUpAfter", annotation.giveUpAfter(), TextAttributes::duration);
        List<Duration> intervals =
                texts.optional("retryIntervals", annotation.retryIntervals(), ListenerAttributes::durations);
        RetryPolicy policy = intervals != null ? intervals(intervals) : exponential(defaults);
        if (maxRetries != null) {
            policy = policy.maxRetries(maxRetries);
        } else if (giveUpAfter == null && intervals == null) {
            policy = policy.maxRetries(defaults.maxRetries());
        }
        Duration time = giveUpAfter != null ? giveUpAfter : defaults.giveUpAfter();
        policy = time == null ? policy : policy.giveUpAfter(time);
        return policy.jitter(texts.value(
                "jitter", annotation.jitter(), Double::valueOf, intervals != null ? 0.0 : defaults.jitter()));
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
                texts.value(
                        "initialInterval",
                        annotation.initialInterval(),
                        TextAttributes::duration,
                        defaults.initialInterval()),
                texts.value("multiplier", annotation.multiplier(), Double::valueOf, defaults.multiplier()),
                texts.value("maxInterval", annotation.maxInterval(), TextAttributes::duration, defaults.maxInterval()));
    }

    private static List<Duration> durations(String text) {
        return Stream.of(text.split(","))
                .map(String::strip)
                .map(TextAttributes::duration)
                .toList();
    }
}
