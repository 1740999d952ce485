package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Recurring;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.StringValueResolver;

/** What {@link Recurring} says on the methods of listeners. */
final class RecurringMethods {

    private final TextAttributes texts;
    private final PayloadCodec codec;

    RecurringMethods(StringValueResolver resolver, PayloadCodec codec) {
        this.texts = new TextAttributes(resolver);
        this.codec = codec;
    }

    /**
     * The recurring job of a listener's method; empty if it has none, or it is switched off.
     *
     * @throws InvalidJobListenerException if the annotation says what cannot be
     */
    Optional<RecurringJob> of(String beanName, ListenerMethod listener) {
        Recurring annotation = AnnotatedElementUtils.findMergedAnnotation(listener.method(), Recurring.class);
        if (annotation == null) {
            return Optional.empty();
        }
        try {
            return recurring(annotation, listener);
        } catch (IllegalArgumentException | PayloadException e) {
            throw new InvalidJobListenerException(
                    "@Recurring %s of bean '%s' cannot work: %s".formatted(listener.name(), beanName, e.getMessage()),
                    "Correct the annotation or the property that it refers to",
                    e);
        }
    }

    private Optional<RecurringJob> recurring(Recurring annotation, ListenerMethod listener) {
        if (off("cron", annotation.cron()) || off("every", annotation.every())) {
            return Optional.empty();
        }
        String name = texts.value("name", annotation.name(), text -> text, JobTypes.typeOf(listener.payloadClass()));
        Object payload =
                codec.decode(texts.value("payload", annotation.payload(), text -> text, "{}"), listener.payload());
        return Optional.of(RecurringJob.of(name, schedule(annotation), payload)
                .overlap(annotation.overlap())
                .missed(missed(annotation))
                .jitter(texts.value("jitter", annotation.jitter(), TextAttributes::duration, Duration.ZERO)));
    }

    private boolean off(String attribute, String text) {
        return Recurring.OFF.equals(texts.optional(attribute, text, value -> value));
    }

    private Schedule schedule(Recurring annotation) {
        String zone = texts.value("zone", annotation.zone(), text -> text, "UTC");
        Schedule cron = texts.optional("cron", annotation.cron(), text -> Schedule.cron(text, zone));
        Schedule every =
                texts.optional("every", annotation.every(), text -> Schedule.every(TextAttributes.duration(text)));
        if (cron != null && every != null) {
            throw new IllegalArgumentException("it names cron and every: keep one of them");
        }
        if (every != null && !annotation.zone().isEmpty()) {
            throw new IllegalArgumentException("it names a zone, which a fixed rate does not have: remove it");
        }
        if (cron != null) {
            return cron;
        }
        if (every == null) {
            throw new IllegalArgumentException(
                    "it does not say when: name cron or every, or '%s' to switch it off".formatted(Recurring.OFF));
        }
        return every;
    }

    private MissedRuns missed(Recurring annotation) {
        return switch (annotation.missed()) {
            case SKIP -> MissedRuns.SKIP;
            case RUN_ONCE -> MissedRuns.RUN_ONCE;
            case RUN_ALL ->
                MissedRuns.runAll(
                        annotation.missedRuns(),
                        texts.value(
                                "missedWindow",
                                annotation.missedWindow(),
                                TextAttributes::duration,
                                Duration.ofDays(1)));
        };
    }
}
