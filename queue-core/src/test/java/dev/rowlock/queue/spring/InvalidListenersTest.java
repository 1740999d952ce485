package dev.rowlock.queue.spring;

import static dev.rowlock.queue.spring.Scan.assertInvalid;
import static dev.rowlock.queue.spring.Scan.only;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.job.DeadJob;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.DuplicateJobListenerException;
import dev.rowlock.queue.spring.Scan.Envelope;
import dev.rowlock.queue.spring.Scan.Order;
import dev.rowlock.queue.spring.Scan.Parcel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.annotation.Async;

/** Listeners that cannot work stop the start. */
class InvalidListenersTest {

    static class TwinListener {
        @JobListener
        void one(Order order) {}

        @JobListener(queue = "other")
        void two(Order order) {}
    }

    @Test
    void twoListenersForOneTypeStopTheStart() {
        assertThatThrownBy(() -> only(TwinListener.class))
                .isInstanceOf(DuplicateJobListenerException.class)
                .hasMessageContaining("'Order'")
                .hasMessageContaining("TwinListener.one(Order)")
                .hasMessageContaining("TwinListener.two(Order)")
                .hasMessageContaining("@JobType");
    }

    @JobType(value = "order", formerNames = "Order")
    record Renamed(String number) {}

    static class RenamedListener {
        @JobListener
        void one(Renamed order) {}

        @JobListener
        void two(Order order) {}
    }

    @Test
    void aFormerNameThatIsTheNameOfAnotherTypeStopsTheStart() {
        assertThatThrownBy(() -> only(RenamedListener.class))
                .isInstanceOf(DuplicateJobListenerException.class)
                .hasMessageContaining("'Order'")
                .hasMessageContaining("RenamedListener.one(Renamed)");
    }

    static class BadOnDead {
        static class Misspelt {
            @JobListener(onDead = "refnud")
            void handle(Order order) {}

            void refund(Order order) {}
        }

        static class Overloaded {
            @JobListener(onDead = "refund")
            void handle(Order order) {}

            void refund(Order order) {}

            void refund(DeadJob job) {}
        }

        static class OfAnotherType {
            @JobListener(onDead = "refund")
            void handle(Order order) {}

            void refund(Parcel parcel, DeadJob job) {}
        }

        static class Twice {
            @JobListener(onDead = "refund")
            void handle(Order order) {}

            void refund(DeadJob job, DeadJob again) {}
        }

        static class Unreachable {
            @JobListener(onDead = "refund")
            void handle(Order order) {}

            private void refund(DeadJob job) {}
        }
    }

    @Test
    void anOnDeadThatCannotBeCalledStopsTheStart() {
        assertInvalid(BadOnDead.Misspelt.class, "Misspelt.handle(Order)", "onDead names 'refnud'", "no such method");
        assertInvalid(BadOnDead.Overloaded.class, "onDead names 'refund'", "2 methods of that name");
        assertInvalid(BadOnDead.OfAnotherType.class, "onDead OfAnotherType.refund(Parcel, DeadJob)", "Scan$Parcel");
        assertInvalid(BadOnDead.Twice.class, "onDead Twice.refund(DeadJob, DeadJob)", "twice");
        assertInvalid(BadOnDead.Unreachable.class, "onDead Unreachable.refund(DeadJob)", "private");
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    record NamesItsClass(String number) {}

    interface Message {}

    abstract static class Base {}

    @SuppressWarnings("ClassCanBeStatic") // that is the point
    class Inner {}

    static class BadListeners {
        static class NoParameter {
            @JobListener
            void handle() {}
        }

        static class OnlyContext {
            @JobListener
            void handle(JobContext context) {}
        }

        static class TwoPayloads {
            @JobListener
            void handle(Order order, Parcel parcel) {}
        }

        static class TwoContexts {
            @JobListener
            void handle(Order order, JobContext one, JobContext two) {}
        }

        static class StaticMethod {
            @JobListener
            static void handle(Order order) {}
        }

        static class PrivateMethod {
            @JobListener
            @SuppressWarnings("UnusedMethod") // by Java
            private void handle(Order order) {}
        }

        static class AnyObject {
            @JobListener
            void handle(Object payload) {}
        }

        static class PlainText {
            @JobListener
            void handle(String payload) {}
        }

        static class Primitive {
            @JobListener
            void handle(long payload) {}
        }

        static class Several {
            @JobListener
            void handle(Order[] payload) {}
        }

        static class ListOf {
            @JobListener
            void handle(List<Order> payload) {}
        }

        static class Interface {
            @JobListener
            void handle(Message payload) {}
        }

        static class AbstractClass {
            @JobListener
            void handle(Base payload) {}
        }

        static class InnerClass {
            @JobListener
            void handle(Inner payload) {}
        }

        static class Variable {
            @JobListener
            <T> void handle(T payload) {}
        }

        static class VariableArgument {
            @JobListener
            <T> void handle(Envelope<T> payload) {}
        }

        static class ReturnsOutcome {
            @JobListener
            Outcome handle(Order order) {
                return new Outcome.Completed(null);
            }
        }

        static class Asynchronous {
            @Async
            @JobListener
            void handle(Order order) {}
        }

        static class BadTimeout {
            @JobListener(timeout = "soon")
            void handle(Order order) {}
        }

        static class BadNumber {
            @JobListener(concurrency = "many")
            void handle(Order order) {}
        }

        static class OutOfRange {
            @JobListener(concurrency = "0")
            void handle(Order order) {}
        }

        static class UnknownStrategy {
            @JobListener(retryStrategy = "nobody")
            void handle(Order order) {}
        }

        static class StrategyAndNumber {
            @JobListener(retryStrategy = "nobody", maxRetries = "1")
            void handle(Order order) {}
        }

        static class IntervalsAndMultiplier {
            @JobListener(retryIntervals = "1s, 2s", multiplier = "2")
            void handle(Order order) {}
        }

        static class BadIntervals {
            @JobListener(retryIntervals = "1s, soon")
            void handle(Order order) {}
        }

        static class ClassInJson {
            @JobListener
            void handle(NamesItsClass payload) {}
        }

        static class BadQueue {
            @JobListener(queue = "not a queue")
            void handle(Order order) {}
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                BadListeners.NoParameter.class,
                BadListeners.OnlyContext.class,
                BadListeners.TwoPayloads.class,
                BadListeners.TwoContexts.class,
                BadListeners.StaticMethod.class,
                BadListeners.PrivateMethod.class,
                BadListeners.AnyObject.class,
                BadListeners.PlainText.class,
                BadListeners.Primitive.class,
                BadListeners.Several.class,
                BadListeners.ListOf.class,
                BadListeners.Interface.class,
                BadListeners.AbstractClass.class,
                BadListeners.InnerClass.class,
                BadListeners.Variable.class,
                BadListeners.VariableArgument.class,
                BadListeners.ReturnsOutcome.class,
                BadListeners.Asynchronous.class,
                BadListeners.BadTimeout.class,
                BadListeners.BadNumber.class,
                BadListeners.OutOfRange.class,
                BadListeners.UnknownStrategy.class,
                BadListeners.StrategyAndNumber.class,
                BadListeners.IntervalsAndMultiplier.class,
                BadListeners.BadIntervals.class,
                BadListeners.ClassInJson.class,
                BadListeners.BadQueue.class
            })
    void aListenerThatCannotWorkStopsTheStartAndIsNamed(Class<?> bean) {
        assertInvalid(bean, bean.getSimpleName() + ".handle(", "of bean '");
    }
}
