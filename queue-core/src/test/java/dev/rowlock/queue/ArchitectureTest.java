package dev.rowlock.queue;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the map and the shape that CONTRIBUTING.md describes. */
class ArchitectureTest {

    private static final String BASE = "dev.rowlock.queue";
    private static final Path SOURCES = Path.of("src", "main", "java");

    /** Everything that reads or writes tables may use all of the store; the store itself is ordered below. */
    private static final Set<String> STORE = Set.of(
            "internal.store",
            "internal.store.admin",
            "internal.store.claim",
            "internal.store.cleanup",
            "internal.store.due",
            "internal.store.enqueue",
            "internal.store.node",
            "internal.store.outcome");

    private static final Set<String> WORDS = Set.of("spi", "job");

    /** Which packages each package may use. A new package needs a line here, and a place on the map. */
    private static final Map<String, Set<String>> MAP = Map.ofEntries(
            Map.entry("job", Set.of()),
            Map.entry("spi", Set.of("job")),
            Map.entry("internal.store", WORDS),
            Map.entry("internal.store.admin", with(WORDS, "internal.store")),
            Map.entry("internal.store.claim", with(WORDS, "internal.store")),
            Map.entry("internal.store.cleanup", with(WORDS, "internal.store")),
            Map.entry("internal.store.due", with(WORDS, "internal.store", "internal.store.claim")),
            Map.entry("internal.store.enqueue", with(WORDS, "internal.store")),
            Map.entry("internal.store.node", with(WORDS, "internal.store")),
            Map.entry("internal.store.outcome", with(WORDS, "internal.store")),
            Map.entry("schema", Set.of("internal.store", "spi")),
            Map.entry("connection", Set.of()),
            Map.entry("internal.listener", Set.of("internal.store", "spi", "job")),
            Map.entry("internal.thread", Set.of()),
            Map.entry("internal.wake", with(WORDS, "internal.store", "internal.thread")),
            Map.entry("internal.chore", with(STORE, "internal.thread", "job")),
            Map.entry("internal.rescue", with(STORE, "internal.chore", "internal.thread", "spi", "job")),
            Map.entry("internal.due", with(STORE, "internal.chore", "internal.thread", "spi", "job")),
            Map.entry("internal.cleanup", with(STORE, "internal.chore", "internal.thread", "spi", "job")),
            Map.entry(
                    "internal.janitor",
                    with(
                            STORE,
                            "internal.rescue",
                            "internal.due",
                            "internal.cleanup",
                            "internal.chore",
                            "internal.thread",
                            "spi",
                            "job")),
            Map.entry("internal.claim", with(STORE, "internal.thread", "spi", "job")),
            Map.entry("internal.record", with(STORE, "internal.thread", "spi", "job")),
            Map.entry(
                    "internal.run", with(STORE, "internal.claim", "internal.record", "internal.thread", "spi", "job")),
            Map.entry("internal.lease", with(STORE, "internal.chore", "internal.thread", "spi")),
            Map.entry(
                    "internal.node",
                    with(
                            STORE,
                            "internal.claim",
                            "internal.run",
                            "internal.record",
                            "internal.lease",
                            "internal.janitor",
                            "internal.chore",
                            "internal.wake",
                            "internal.thread",
                            "spi",
                            "job")),
            Map.entry(
                    "",
                    with(
                            STORE,
                            "internal.node",
                            "internal.run",
                            "internal.listener",
                            "schema",
                            "internal.wake",
                            "internal.thread",
                            "spi",
                            "job")),
            Map.entry("observe", Set.of("", "spi", "job")),
            Map.entry("spring", Set.of("", "spi", "job")));

    private static Set<String> with(Set<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).collect(Collectors.toUnmodifiableSet());
    }

    private static final JavaClasses MAIN = classesBeside(JobTemplate.class);
    private static final JavaClasses TESTS = classesBeside(ArchitectureTest.class);

    // The map

    static Stream<String> packages() {
        return MAP.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("packages")
    void aPackageUsesOnlyWhatLiesBelowIt(String name) {
        Set<String> allowed = Objects.requireNonNull(MAP.get(name));

        classes()
                .that(resideInAPackage(full(name)))
                .should()
                .onlyDependOnClassesThat(new DescribedPredicate<>("lie below on the map") {
                    @Override
                    public boolean test(JavaClass used) {
                        return !isOurs(used) || name.equals(place(used)) || allowed.contains(place(used));
                    }
                })
                .check(MAIN);
    }

    @Test
    void everyPackageIsOnTheMap() {
        assertThat(packagesWithClasses().map(JavaPackage::getName).map(ArchitectureTest::place))
                .isSubsetOf(MAP.keySet());
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching(BASE + ".(**)").should().beFreeOfCycles().check(MAIN);
    }

    @Test
    void theCoreKnowsNothingOfSpringBoot() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("org.springframework.boot.."))
                .check(MAIN);
    }

    @Test
    void theVocabularyAndTheSeamsAreNothingButJava() {
        classes()
                .that(resideInAnyPackage(full("job"), full("spi")))
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("java..", "org.jspecify.annotations", full("job"), full("spi")))
                .check(MAIN);
    }

    @Test
    void noOtherModuleMentionsWhatIsInternal() throws IOException {
        List<Path> others = new ArrayList<>();
        for (Path module : modules()) {
            if (!module.equals(Path.of("..", "queue-core"))) {
                others.addAll(sources(module.resolve("src"), path -> true));
            }
        }

        assertThat(others)
                .hasSizeGreaterThan(100) // or this looks in the wrong place
                .allSatisfy(path -> assertThat(Files.readString(path)).doesNotContain(BASE + ".internal"));
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(Path.of(".."))) {
            return folders.filter(folder -> Files.isRegularFile(folder.resolve("pom.xml")))
                    .filter(folder -> Files.isDirectory(folder.resolve("src")))
                    .toList();
        }
    }

    // SQL

    @Test
    void jdbcIsForTheStoreAndForThoseWhoHandItRowsAndConnections() {
        noClasses()
                .that(not(resideInAnyPackage(BASE + ".internal..", full("schema"))))
                .and(not(named(JobTemplate.class, JobAdmin.class, JobSearch.class, JobRows.class)))
                .should()
                .dependOnClassesThat(resideInAPackage("java.sql.."))
                .check(MAIN);
    }

    @Test
    void statementsAreRunInTheStoreAndTheSchemaAndByWhoListens() {
        noClasses()
                .that(not(resideInAnyPackage(full("internal.store.."), full("schema"), full("internal.wake"))))
                .should(callMethodWhere(ofOwner(java.sql.Statement.class)))
                .orShould(callMethodWhere(ofOwner(java.sql.PreparedStatement.class)))
                .check(MAIN);
    }

    @Test
    void sqlIsWrittenInTheStoreAndTheSchemaOnly() throws IOException {
        Pattern sql =
                Pattern.compile("\"[^\"]*\\b(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM|CREATE TABLE)\\b");

        assertThat(sources(path -> !path.toString().contains("internal/store")
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
                        assertThat(Files.readAllLines(path)).as(path.toString()).hasSizeLessThanOrEqualTo(400));
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
    void nothingThatChangesIsStatic() {
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

    /** All classes of the folder that this one comes from. */
    private static JavaClasses classesBeside(Class<?> one) {
        return new ClassFileImporter()
                .importUrl(one.getProtectionDomain().getCodeSource().getLocation());
    }

    private static Stream<JavaPackage> packagesWithClasses() {
        return MAIN.stream()
                .filter(aClass -> !aClass.getSimpleName().equals("package-info"))
                .map(JavaClass::getPackage)
                .distinct();
    }

    private static String full(String place) {
        return place.isEmpty() ? BASE : BASE + "." + place;
    }

    private static boolean isOurs(JavaClass aClass) {
        return aClass.getPackageName().equals(BASE) || aClass.getPackageName().startsWith(BASE + ".");
    }

    private static String place(JavaClass aClass) {
        return place(aClass.getBaseComponentType().getPackageName());
    }

    private static String place(String packageName) {
        return packageName.equals(BASE) ? "" : packageName.substring(BASE.length() + 1);
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

    private static List<Path> sources(Predicate<Path> which) throws IOException {
        return sources(SOURCES, which);
    }

    private static List<Path> sources(Path folder, Predicate<Path> which) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(path -> path.toString().endsWith(".java"))
                    .filter(which)
                    .toList();
        }
    }
}
