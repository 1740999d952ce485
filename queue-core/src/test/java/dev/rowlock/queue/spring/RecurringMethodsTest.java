package dev.rowlock.queue.spring;

import static dev.rowlock.queue.spring.Scan.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.Recurring;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/** What {@link Recurring} says on a listener. */
class RecurringMethodsTest {

    @JobType("check-prices")
    record CheckPrices(String region) {}

    static class Plain {
        @Recurring(cron = "0 0 3 * * *")
        @JobListener
        void check(CheckPrices job) {}
    }

    @Test
    void aCronExpressionIsEnough() {
        assertThat(scan(Map.of(), Plain.class))
                .containsExactly(RecurringJob.of("check-prices", Schedule.cron("0 0 3 * * *"), new CheckPrices(null)));
    }

    static class Full {
        @Recurring(
                name = "${prices.name}",
                cron = "${prices.cron}",
                zone = "${prices.zone}",
                payload = "{\"region\": \"eu\"}",
                missed = MissedRuns.Policy.RUN_ALL,
                missedRuns = 7,
                missedWindow = "2d",
                overlap = Overlap.ALLOW,
                jitter = "90s")
        @JobListener
        void check(CheckPrices job) {}
    }

    @Test
    void everythingCanBeSaidAndTakenFromProperties() {
        Map<String, Object> properties =
                Map.of("prices.name", "nightly", "prices.cron", "@daily", "prices.zone", "Europe/Berlin");

        assertThat(scan(properties, Full.class))
                .containsExactly(
                        RecurringJob.of("nightly", Schedule.cron("@daily", "Europe/Berlin"), new CheckPrices("eu"))
                                .overlap(Overlap.ALLOW)
                                .missed(MissedRuns.runAll(7, Duration.ofDays(2)))
                                .jitter(Duration.ofSeconds(90)));
    }

    static class Switched {
        @Recurring(cron = "${prices.cron}")
        @JobListener
        void check(CheckPrices job) {}
    }

    @Test
    void aPropertySwitchesItOff() {
        assertThat(scan(Map.of("prices.cron", "-"), Switched.class)).isEmpty();
        assertThat(scan(Map.of("prices.cron", "@daily"), Switched.class)).hasSize(1);
    }

    static class Rate {
        @Recurring(every = "15m")
        @JobListener
        void check(CheckPrices job) {}
    }

    @Test
    void aRateIsADuration() {
        assertThat(scan(Map.of(), Rate.class))
                .extracting(RecurringJob::schedule)
                .containsExactly(Schedule.every(Duration.ofMinutes(15)));
    }

    @Test
    void objectsWithoutAContextCanSayTheSame() {
        AnnotatedListeners listeners = AnnotatedListeners.of(new Plain());

        assertThat(listeners.recurringJobs(new JacksonPayloadCodec(JsonMapper.shared())))
                .extracting(RecurringJob::name)
                .containsExactly("check-prices");
    }

    // Bad input

    static class Bad {
        static class Neither {
            @Recurring
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class Both {
            @Recurring(cron = "@daily", every = "1h")
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class RateInAZone {
            @Recurring(every = "1h", zone = "Europe/Berlin")
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class NoCron {
            @Recurring(cron = "every night")
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class Never {
            @Recurring(cron = "0 0 0 31 2 *")
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class NoZone {
            @Recurring(cron = "@daily", zone = "Europe/Atlantis")
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class NoPayload {
            @Recurring(cron = "@daily", payload = "{\"region\": ")
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class NoDuration {
            @Recurring(every = "often")
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class AllMissedOneAtATime {
            @Recurring(every = "1h", missed = MissedRuns.Policy.RUN_ALL)
            @JobListener
            void handle(CheckPrices job) {}
        }

        static class NoName {
            @Recurring(every = "1h", name = "check prices")
            @JobListener
            void handle(CheckPrices job) {}
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Bad.Neither.class,
                Bad.Both.class,
                Bad.RateInAZone.class,
                Bad.NoCron.class,
                Bad.Never.class,
                Bad.NoZone.class,
                Bad.NoPayload.class,
                Bad.NoDuration.class,
                Bad.AllMissedOneAtATime.class,
                Bad.NoName.class
            })
    void oneThatCannotWorkStopsTheStartAndIsNamed(Class<?> bean) {
        assertInvalid(bean, "@Recurring " + bean.getSimpleName() + ".handle(", "of bean '");
    }

    static class NoListener {
        @Recurring(every = "1h")
        void check(CheckPrices job) {}
    }

    @Test
    void aMethodThatTakesNoJobsCannotRecur() {
        assertInvalid(NoListener.class, "@Recurring NoListener.check", "is no @JobListener");
        assertThatThrownBy(() -> AnnotatedListeners.of(new NoListener()))
                .isInstanceOf(InvalidJobListenerException.class);
    }

    private static List<RecurringJob> scan(Map<String, Object> properties, Class<?>... beans) {
        try (AnnotationConfigApplicationContext context = Scan.context(properties, beans)) {
            context.refresh();
            return context.getBean(JobListenerScanner.class).recurringJobs();
        }
    }
}
