package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;

class JobTypesTest {

    record SendMail(String to) {}

    @JobType(value = "send-mail", queue = "mail")
    record Renamed(String to) {}

    @JobType("no good")
    record Unusable(String to) {}

    @Test
    void aTypeIsTheSimpleNameOrWhatItsAnnotationSays() {
        assertThat(JobTypes.typeOf(SendMail.class)).isEqualTo("SendMail");
        assertThat(JobTypes.declaredQueueOf(SendMail.class)).isNull();
        assertThat(JobTypes.typeOf(Renamed.class)).isEqualTo("send-mail");
        assertThat(JobTypes.declaredQueueOf(Renamed.class)).isEqualTo("mail");
    }

    @Test
    void aPayloadThatNoListenerCouldTakeIsRefusedWhereItIsEnqueued() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(String.class))
                .withMessageContaining("record of your own");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(Map.of().getClass()))
                .withMessageContaining("record of your own");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(Unusable.class))
                .withMessageContaining("@JobType");
    }

    @JobType("entity")
    static class Entity {
        public String name() {
            return "x";
        }
    }

    /** As Hibernate names them. */
    static final class Entity$HibernateProxy$a1B2 extends Entity {}

    @Test
    void aProxyIsRefusedAsWhatItIs() {
        ProxyFactory cglib = new ProxyFactory(new Entity());
        cglib.setProxyTargetClass(true);

        for (Object proxy : new Object[] {
            new Entity$HibernateProxy$a1B2(),
            cglib.getProxy(),
            Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Runnable.class}, (self, method, arguments) -> null)
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> JobTypes.typeOf(proxy.getClass()))
                    .withMessageContaining("it is a proxy")
                    .withMessageContaining("the id of the entity")
                    .withMessageNotContaining("@JobType");
        }
    }

    record Tenant(String id) {}

    static class Customer {
        public final String city = "Rome";

        public String getName() {
            return "ann";
        }

        public boolean isNew() {
            return true;
        }
    }

    static final class Partner extends Customer {
        @Override
        public String getName() {
            return "bob";
        }
    }

    @JobType(key = "tenant?.idd")
    record MisspeltBelow(Tenant tenant) {}

    @JobType(key = "accountid")
    record MisspeltCase(String accountId) {}

    @JobType(key = "partner.nmae")
    record MisspeltGetter(Partner partner) {}

    @JobType(key = "tenant.")
    record NoExpression(Tenant tenant) {}

    @Test
    void aKeyThatNamesAMissingPropertyIsRefusedWithThoseThatThereAre() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(MisspeltCase.class))
                .withMessage("@JobType of " + MisspeltCase.class.getName()
                        + " names the key 'accountid', and the class has no property 'accountid'; it has [accountId]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(MisspeltBelow.class))
                .withMessageContaining("names the key 'tenant?.idd', and " + Tenant.class.getName()
                        + " has no property 'idd'; it has [id]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(MisspeltGetter.class))
                .withMessageContaining("has no property 'nmae'; it has [city, name, new]");
    }

    @Test
    void aKeyThatIsNoExpressionIsRefusedWithWhatIsWrong() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(NoExpression.class))
                .withMessageStartingWith("@JobType of " + NoExpression.class.getName()
                        + " names the key 'tenant.', which is no expression: ")
                .withMessageContaining("ran out of input");
    }

    @JobType(title = "mail to {tenant.idd}")
    record MisspeltTitle(Tenant tenant) {}

    @JobType(title = "mail to {tenant")
    record OpenBrace(Tenant tenant) {}

    @JobType(title = "mail to {tenant.id()}")
    record Calling(Tenant tenant) {}

    @Test
    void aTitleThatCannotBeMadeIsRefusedWithWhatIsWrong() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JobTypes.typeOf(MisspeltTitle.class))
                .withMessage(
                        "@JobType of " + MisspeltTitle.class.getName() + " names the title 'mail to {tenant.idd}', and "
                                + Tenant.class.getName() + " has no property 'idd'; it has [id]");
        for (Class<?> payload : List.of(OpenBrace.class, Calling.class)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> JobTypes.typeOf(payload))
                    .withMessageContaining("braces stand around a property of the payload");
        }
    }

    record Bad(String what) {
        @Override
        public String toString() {
            throw new IllegalStateException("no text");
        }
    }

    @JobType(title = "{customer.name}: {what} for {tenant.id} ({number})")
    record Titled(
            Customer customer,
            @Nullable Object what,
            @Nullable Tenant tenant,
            int number) {}

    @Test
    void aTitleHasWhatThePropertiesHaveAndQuestionMarksForTheRest() {
        assertThat(JobTypes.titleOf(new Titled(new Customer(), "x", new Tenant("t"), 7)))
                .isEqualTo("ann: x for t (7)");
        assertThat(JobTypes.titleOf(new Titled(new Partner(), null, null, 7))).isEqualTo("bob: ? for ? (7)");
        assertThat(JobTypes.titleOf(new Titled(new Partner(), new Bad(""), null, 7)))
                .isEqualTo("bob: ? for ? (7)");
        assertThat(JobTypes.titleOf(new SendMail("x"))).isNull();
    }

    @JobType(title = "{what}")
    record Only(String what) {}

    @Test
    void aTitleIsOneLineOfBoundedLengthThatCanBeStored() {
        assertThat(JobTypes.titleOf(new Only(" a\nb\t\u0000c\u2028d\u202Ee\ud800f ")))
                .isEqualTo("a b  c d e\ufffdf");
        assertThat(JobTypes.titleOf(new Only(" \n "))).isNull();
        assertThat(JobTypes.titleOf(new Only("x".repeat(200)))).isEqualTo("x".repeat(200));
        assertThat(JobTypes.titleOf(new Only("x".repeat(5_000)))).isEqualTo("x".repeat(199) + "…");
        assertThat(JobTypes.titleOf(new Only("x".repeat(198) + "😀😀"))).isEqualTo("x".repeat(198) + "…");
    }

    interface Shape {}

    @JobType(key = "customer.discount")
    record OfOpenClass(Customer customer) {}

    @JobType(key = "values.tenant")
    record OfMap(Map<String, String> values) {}

    @JobType(key = "shape.radius")
    record OfInterface(Shape shape) {}

    @JobType(key = "tenant?.idd")
    record OfOptional(Optional<Tenant> tenant) {}

    @JobType(key = "value.tenant")
    record OfGeneric<T>(T value) {}

    @JobType(key = "tenant")
    interface SomeJob {}

    @JobType(key = "region + '-' + nobodyKnows")
    record WithOperator(String region) {}

    @JobType(key = "tenant().idd")
    record WithMethod(Tenant tenant) {}

    @JobType(key = "partner.city")
    record OfField(Partner partner) {}

    @JobType(key = "partner.new")
    record OfFlag(Partner partner) {}

    @Test
    void aKeyOfWhichNobodyKnowsBeforeIsLeftAlone() {
        assertThat(List.of(
                        OfOpenClass.class,
                        OfMap.class,
                        OfInterface.class,
                        OfOptional.class,
                        OfGeneric.class,
                        SomeJob.class,
                        WithOperator.class,
                        WithMethod.class,
                        OfField.class,
                        OfFlag.class))
                .allSatisfy(payload -> assertThat(JobTypes.typeOf(payload)).isEqualTo(payload.getSimpleName()));
        assertThat(JobTypes.keyOf(new OfField(new Partner()))).isEqualTo("Rome");
        assertThat(JobTypes.keyOf(new OfFlag(new Partner()))).isEqualTo("true");
    }
}
