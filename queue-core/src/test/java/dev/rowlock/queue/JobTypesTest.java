package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
