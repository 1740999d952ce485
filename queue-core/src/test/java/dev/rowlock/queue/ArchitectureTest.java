package dev.rowlock.queue;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static dev.rowlock.queue.OurCode.BASE;
import static dev.rowlock.queue.OurCode.MAIN;
import static dev.rowlock.queue.OurCode.classesBeside;
import static dev.rowlock.queue.OurCode.full;
import static dev.rowlock.queue.OurCode.packagesWithClasses;
import static dev.rowlock.queue.OurCode.sources;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.rowlock.queue.internal.chore.Chore;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Checks the shape that CONTRIBUTING.md describes. {@link PackageMapTest} checks the map of packages. */
class ArchitectureTest {

    private static final JavaClasses TESTS = classesBeside(OurCode.class);

    // SQL

    @Test
    void onlyInternalsTheSchemaAndTheFrontDoorsUseJdbc() {
        noClasses()
                .that(not(resideInAnyPackage(BASE + ".internal..", full("schema"))))
                .and(not(named(JobTemplate.class, JobAdmin.class, JobSearch.class, JobRows.class)))
                .should()
                .dependOnClassesThat(resideInAPackage("java.sql.."))
                .check(MAIN);
    }

    /** What decides when something is done leaves it to other classes how. */
    @Test
    void noChoreAndNoThreadRunsStatements() {
        noClasses()
                .that(assignableTo(Chore.class).or(assignableTo(Thread.class)))
                .should(callMethodWhere(ofOwner(java.sql.Statement.class)))
                .orShould(callMethodWhere(ofOwner(java.sql.PreparedStatement.class)))
                .check(MAIN);
    }

    @Test
    void sqlIsWrittenInInternalsAndTheSchemaOnly() throws IOException {
        Pattern sql =
                Pattern.compile("\"[^\"]*\\b(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM|CREATE TABLE)\\b");

        assertThat(sources(path -> !path.toString().contains("/internal/")
                        && !path.toString().contains("/schema")))
                .allSatisfy(path -> assertThat(Files.readString(path)).doesNotContainPattern(sql));
    }

    // Shape

    @Test
    void everyPackageIsNullMarked() {
        assertThat(packagesWithClasses())
                .allSatisfy(aPackage -> assertThat(aPackage.isAnnotatedWith(NullMarked.class))
                        .as(aPackage.getName())
                        .isTrue());
    }

    @Test
    void classesAreFinalOrSealed() {
        classes()
                .that(not(assignableTo(Throwable.class))) // applications extend some exceptions
                .and()
                .areNotInterfaces()
                .and()
                .areNotAnonymousClasses()
                .should(satisfy(
                        "be final or sealed",
                        aClass -> aClass.getModifiers().contains(JavaModifier.FINAL)
                                || aClass.isEnum()
                                || aClass.reflect().isSealed()))
                .check(MAIN);
    }

    @Test
    void namesSayWhatAClassIsFor() {
        noClasses()
                .should()
                .haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Impl)")
                .orShould()
                .haveNameMatching(".*[.$](Abstract|Base)[A-Z].*")
                .check(MAIN);
    }

    @Test
    void constructorsTakeSixParametersAtMost() {
        classes()
                .that()
                .areNotRecords()
                .should(satisfy(
                        "have constructors of at most six parameters",
                        aClass -> aClass.getConstructors().stream()
                                .map(JavaConstructor::getRawParameterTypes)
                                .allMatch(parameters -> parameters.size() <= 6)))
                .check(MAIN);
    }

    @Test
    void aFileAnswersOneQuestion() throws IOException {
        assertThat(sources(path -> true))
                .allSatisfy(path ->
                        assertThat(Files.readAllLines(path)).as(path.toString()).hasSizeLessThanOrEqualTo(600));
    }

    @Test
    void publicSignaturesNeverMentionWhatIsInternal() {
        classes()
                .that(not(resideInAPackage(BASE + ".internal..")))
                .and()
                .arePublic()
                .should(new ArchCondition<JavaClass>("mention nothing internal in constructors, methods and fields") {
                    @Override
                    public void check(JavaClass aClass, ConditionEvents events) {
                        aClass.getMembers().stream()
                                .filter(ArchitectureTest::visible)
                                .filter(member -> involved(member).anyMatch(ArchitectureTest::internal))
                                .forEach(member ->
                                        events.add(SimpleConditionEvent.violated(member, member.getDescription())));
                    }
                })
                .check(MAIN);
    }

    /** Several queues live in one process: whatever changes belongs to one of them. */
    @Test
    void noStaticFieldChanges() {
        classes()
                .should(new ArchCondition<JavaClass>("have no static field that changes") {
                    @Override
                    public void check(JavaClass aClass, ConditionEvents events) {
                        aClass.getFields().stream()
                                .filter(field -> field.getModifiers().contains(JavaModifier.STATIC))
                                .filter(field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC))
                                .filter(ArchitectureTest::changes)
                                .forEach(field ->
                                        events.add(SimpleConditionEvent.violated(field, field.getDescription())));
                    }
                })
                .check(MAIN);
    }

    private static boolean changes(JavaField field) {
        if (field.getFullName().endsWith("EndlessTask.untold")) {
            return false; // about the log, which all share
        }
        return !field.getModifiers().contains(JavaModifier.FINAL)
                || Stream.of(
                                "java.util.concurrent.",
                                "java.lang.ThreadLocal",
                                "java.util.HashMap",
                                "java.util.ArrayList")
                        .anyMatch(field.getRawType().getName()::startsWith);
    }

    // Time

    @Test
    void applicationTimeComesFromAClock() {
        noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(java.time.OffsetDateTime.class, "now")
                .orShould()
                .callMethod(java.time.ZonedDateTime.class, "now")
                .orShould()
                .callMethod(java.time.LocalDateTime.class, "now")
                .orShould()
                .callMethod(java.time.LocalDate.class, "now")
                .orShould()
                .callConstructor(java.util.Date.class)
                .check(MAIN);
    }

    // Tests

    @Test
    void testsDoNotSleep() {
        noClasses()
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(java.util.concurrent.TimeUnit.class, "sleep", long.class)
                .check(TESTS);
    }

    @Test
    void testsMockNothing() {
        noClasses()
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage("org.mockito..", "org.springframework.test.context.bean.override.."))
                .check(TESTS);
    }

    private static boolean internal(JavaClass aClass) {
        return aClass.getPackageName().startsWith(BASE + ".internal");
    }

    private static boolean visible(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    private static Stream<JavaClass> involved(JavaMember member) {
        Stream<JavaClass> types = member.getAllInvolvedRawTypes().stream();
        return member instanceof JavaMethod method
                ? Stream.concat(types, method.getThrowsClause().getTypes().stream())
                : types;
    }

    private static DescribedPredicate<JavaClass> named(Class<?>... classes) {
        Set<String> names = Arrays.stream(classes).map(Class::getName).collect(Collectors.toSet());
        return DescribedPredicate.describe("are " + names, aClass -> names.contains(aClass.getName()));
    }

    private static DescribedPredicate<com.tngtech.archunit.core.domain.JavaMethodCall> ofOwner(Class<?> owner) {
        return DescribedPredicate.describe(
                "a method of " + owner.getName(), call -> call.getTargetOwner().isEquivalentTo(owner));
    }

    private static ArchCondition<JavaClass> satisfy(String words, Predicate<JavaClass> rule) {
        return new ArchCondition<>(words) {
            @Override
            public void check(JavaClass aClass, ConditionEvents events) {
                if (!rule.test(aClass)) {
                    events.add(SimpleConditionEvent.violated(aClass, aClass.getDescription()));
                }
            }
        };
    }
}
