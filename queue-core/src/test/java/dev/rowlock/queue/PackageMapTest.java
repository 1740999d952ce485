package dev.rowlock.queue;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static dev.rowlock.queue.OurCode.BASE;
import static dev.rowlock.queue.OurCode.MAIN;
import static dev.rowlock.queue.OurCode.full;
import static dev.rowlock.queue.OurCode.isOurs;
import static dev.rowlock.queue.OurCode.modules;
import static dev.rowlock.queue.OurCode.packagesWithClasses;
import static dev.rowlock.queue.OurCode.place;
import static dev.rowlock.queue.OurCode.sources;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaPackage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the map of packages: which package may use which. */
class PackageMapTest {

    /** Everything that reads or writes tables may use all of the store; the store itself is ordered below. */
    private static final Set<String> STORE = Set.of(
            "internal.store",
            "internal.store.admin",
            "internal.store.batch",
            "internal.store.checkpoint",
            "internal.store.claim",
            "internal.store.cleanup",
            "internal.store.due",
            "internal.store.enqueue",
            "internal.store.gate",
            "internal.store.node",
            "internal.store.operate",
            "internal.store.outcome",
            "internal.store.policy",
            "internal.store.result",
            "internal.store.schedule",
            "internal.store.search",
            "internal.store.unique",
            "internal.store.workflow",
            "internal.store.workflow.read");

    private static final Set<String> WORDS = Set.of("spi", "job");

    /** How values read in messages: everything may use it. */
    private static final String TEXT = "internal.text";

    /** Which packages each package may use. A new package needs a line here, and a place on the map. */
    private static final Map<String, Set<String>> MAP = Map.ofEntries(
            Map.entry("job", Set.of()),
            Map.entry("chunk", Set.of("job")),
            Map.entry("spi", Set.of("chunk", "gate", "job")),
            Map.entry("schedule", Set.of("job")),
            Map.entry("gate", Set.of("job")),
            Map.entry("search", Set.of("job")),
            Map.entry("operate", Set.of()),
            Map.entry("doctor", Set.of()),
            Map.entry("result", Set.of("job")),
            Map.entry("settings", Set.of("spi")),
            Map.entry("payload", Set.of("spi")),
            Map.entry("internal.store", WORDS),
            Map.entry("internal.store.admin", with(WORDS, "internal.store")),
            Map.entry("internal.store.batch", Set.of()),
            Map.entry("internal.store.checkpoint", with(WORDS, "internal.store")),
            Map.entry("internal.store.claim", with(WORDS, "internal.store", "internal.store.gate")),
            Map.entry("internal.store.cleanup", with(WORDS, "internal.store", "settings")),
            Map.entry("internal.doctor", with(WORDS, "internal.store", "doctor", "schema")),
            Map.entry("command", Set.of("internal.store", "internal.doctor", "doctor")),
            Map.entry("internal.store.due", with(WORDS, "internal.store", "internal.store.claim")),
            Map.entry("internal.store.enqueue", with(WORDS, "internal.store")),
            Map.entry("internal.store.node", with(WORDS, "internal.store")),
            Map.entry("internal.store.outcome", with(WORDS, "internal.store")),
            Map.entry("internal.store.result", with(WORDS, "internal.store")),
            Map.entry("internal.store.gate", with(WORDS, "internal.store", "internal.store.admin", "gate")),
            Map.entry(
                    "internal.gate",
                    with(STORE, "internal.chore", "internal.claim", "internal.wake", "gate", "operate", "spi", "job")),
            Map.entry("internal.store.policy", with(WORDS, "internal.store", "gate")),
            Map.entry(
                    "internal.policy",
                    with(STORE, "internal.chore", "internal.claim", "internal.thread", "gate", "spi", "job")),
            Map.entry("workflow", Set.of("job")),
            Map.entry(
                    "internal.store.workflow",
                    with(WORDS, "internal.store", "internal.store.admin", "internal.store.enqueue", "workflow")),
            Map.entry(
                    "internal.store.workflow.read",
                    with(WORDS, "internal.store", "internal.store.workflow", "workflow")),
            Map.entry(
                    "internal.workflow",
                    with(
                            STORE,
                            "internal.chore",
                            "internal.enqueue",
                            "internal.thread",
                            "internal.wake",
                            "operate",
                            "workflow",
                            "spi",
                            "job")),
            Map.entry("internal.store.schedule", with(WORDS, "internal.store", "internal.store.enqueue", "schedule")),
            Map.entry(
                    "internal.store.search", with(WORDS, "internal.store", "internal.store.policy", "gate", "search")),
            Map.entry(
                    "internal.store.operate",
                    with(
                            WORDS,
                            "internal.store",
                            "internal.store.admin",
                            "internal.store.batch",
                            "internal.store.search",
                            "search",
                            "operate")),
            Map.entry(
                    "internal.operate",
                    with(
                            STORE,
                            "settings",
                            "internal.chore",
                            "internal.wake",
                            "internal.thread",
                            "operate",
                            "spi",
                            "job")),
            Map.entry("internal.store.unique", with(WORDS, "internal.store", "internal.store.enqueue")),
            Map.entry("schema", Set.of("internal.store", "spi", "settings")),
            Map.entry("connection", Set.of()),
            Map.entry("internal.enqueue", WORDS),
            Map.entry("internal.listener", Set.of("internal.store", "chunk", "spi", "job")),
            Map.entry(TEXT, Set.of()),
            Map.entry("internal.thread", Set.of()),
            Map.entry("internal.wake", with(STORE, "internal.thread", "spi", "job")),
            Map.entry("internal.chore", with(STORE, "internal.thread", "spi", "job")),
            Map.entry("internal.rescue", with(STORE, "internal.chore", "internal.thread", "spi", "job")),
            Map.entry("internal.due", with(STORE, "internal.chore", "internal.thread", "spi", "job")),
            Map.entry("internal.cleanup", with(STORE, "internal.chore", "internal.thread", "settings", "spi", "job")),
            Map.entry(
                    "internal.schedule",
                    with(
                            STORE,
                            "internal.chore",
                            "internal.wake",
                            "internal.thread",
                            "operate",
                            "schedule",
                            "spi",
                            "job")),
            Map.entry(
                    "internal.result",
                    with(STORE, "internal.record", "internal.wake", "internal.thread", "result", "spi", "job")),
            Map.entry("internal.unique", with(STORE, "internal.chore", "spi", "job")),
            Map.entry(
                    "internal.janitor",
                    with(
                            STORE,
                            "internal.rescue",
                            "internal.due",
                            "internal.chore",
                            "internal.thread",
                            "settings",
                            "spi",
                            "job")),
            Map.entry("internal.claim", with(STORE, "internal.thread", "settings", "spi", "job")),
            Map.entry("internal.record", with(STORE, "internal.thread", "spi", "job")),
            Map.entry("internal.attempt", with(STORE, "internal.record", "internal.thread", "spi", "job")),
            Map.entry(
                    "internal.run",
                    with(
                            STORE,
                            "internal.attempt",
                            "internal.claim",
                            "internal.record",
                            "internal.thread",
                            "settings",
                            "spi",
                            "job")),
            Map.entry(
                    "internal.chunk",
                    with(
                            STORE,
                            "internal.attempt",
                            "internal.run",
                            "internal.record",
                            "internal.thread",
                            "chunk",
                            "spi",
                            "job")),
            Map.entry("internal.lease", with(STORE, "internal.chore", "internal.thread", "settings", "spi")),
            Map.entry(
                    "internal.node",
                    with(
                            STORE,
                            "internal.claim",
                            "internal.attempt",
                            "internal.run",
                            "internal.chunk",
                            "internal.record",
                            "internal.lease",
                            "internal.janitor",
                            "internal.cleanup",
                            "internal.chore",
                            "internal.wake",
                            "internal.thread",
                            "settings",
                            "spi",
                            "job")),
            Map.entry(
                    "",
                    with(
                            STORE,
                            "doctor",
                            "internal.doctor",
                            "internal.node",
                            "internal.attempt",
                            "internal.enqueue",
                            "internal.listener",
                            "internal.schedule",
                            "internal.gate",
                            "internal.policy",
                            "internal.result",
                            "internal.unique",
                            "internal.workflow",
                            "internal.chore",
                            "schedule",
                            "gate",
                            "workflow",
                            "search",
                            "operate",
                            "internal.operate",
                            "result",
                            "schema",
                            "internal.wake",
                            "internal.thread",
                            "payload",
                            "settings",
                            "spi",
                            "job")),
            Map.entry("observe", Set.of("", "spi", "job", "operate")),
            Map.entry("trace", Set.of("internal.store", "settings", "spi", "job")),
            Map.entry("spring", Set.of("", "chunk", "gate", "schedule", "spi", "job")));

    private static Set<String> with(Set<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).collect(Collectors.toUnmodifiableSet());
    }

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
                        return !isOurs(used)
                                || Set.of(name, TEXT).contains(place(used))
                                || allowed.contains(place(used));
                    }
                })
                .check(MAIN);
    }

    @Test
    void everyPackageIsOnTheMap() {
        assertThat(packagesWithClasses().map(JavaPackage::getName).map(OurCode::place))
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
                .that(resideInAnyPackage(full("job"), full("chunk"), full("gate"), full("spi")))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "org.jspecify.annotations",
                        full("job"),
                        full("chunk"),
                        full("gate"),
                        full("spi"),
                        full(TEXT)))
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
}
