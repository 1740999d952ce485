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
import java.util.HashMap;
import java.util.HashSet;
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

    /** What every part of the engine may use. */
    private static final Set<String> GROUND = Set.of("internal.db", "internal.thread", "settings", "spi", "job");

    /** How values read in messages: everything may use it. */
    private static final String TEXT = "internal.text";

    /** Which packages each package may use. A new package needs a line here, and a place on the map. */
    private static final Map<String, Set<String>> MAP = Map.ofEntries(
            // What applications see.
            Map.entry("job", Set.of()),
            Map.entry("chunk", Set.of("job")),
            Map.entry("gate", Set.of("job")),
            Map.entry("workflow", Set.of("job")),
            Map.entry("schedule", Set.of("job")),
            Map.entry("search", Set.of("job")),
            Map.entry("result", Set.of("job")),
            Map.entry("operate", Set.of()),
            Map.entry("doctor", Set.of()),
            Map.entry("connection", Set.of()),
            Map.entry("spi", Set.of("chunk", "gate", "job")),
            Map.entry("settings", Set.of("spi")),
            Map.entry("payload", Set.of("spi")),
            // What all parts share.
            Map.entry(TEXT, Set.of()),
            Map.entry("internal.thread", Set.of()),
            Map.entry("internal.db", Set.of("spi", "job")),
            Map.entry("schema", Set.of("internal.db", "settings")),
            // The engine.
            Map.entry("internal.record", GROUND),
            Map.entry("internal.lease", GROUND),
            Map.entry("internal.chore", with(GROUND, "internal.lease")),
            Map.entry("internal.claim", with(GROUND, "internal.lease")),
            Map.entry("internal.enqueue", with(GROUND, "internal.chore")),
            Map.entry("internal.wake", with(GROUND, "internal.enqueue")),
            Map.entry("internal.janitor", with(GROUND, "internal.chore", "internal.claim", "internal.lease")),
            Map.entry(
                    "internal.run",
                    with(GROUND, "chunk", "internal.claim", "internal.enqueue", "internal.record", "internal.result")),
            Map.entry(
                    "internal.node",
                    with(
                            GROUND,
                            "internal.chore",
                            "internal.claim",
                            "internal.janitor",
                            "internal.lease",
                            "internal.record",
                            "internal.run",
                            "internal.wake")),
            // Features, each with its statements.
            Map.entry(
                    "internal.gate",
                    with(GROUND, "gate", "operate", "internal.chore", "internal.claim", "internal.wake")),
            Map.entry("internal.policy", with(GROUND, "gate", "internal.chore", "internal.claim", "internal.lease")),
            Map.entry(
                    "internal.workflow",
                    with(
                            GROUND,
                            "workflow",
                            "operate",
                            "internal.chore",
                            "internal.enqueue",
                            "internal.lease",
                            "internal.wake")),
            Map.entry(
                    "internal.schedule",
                    with(
                            GROUND,
                            "schedule",
                            "operate",
                            "internal.chore",
                            "internal.enqueue",
                            "internal.lease",
                            "internal.wake")),
            Map.entry("internal.joblog", with(GROUND, "internal.chore", "internal.lease")),
            Map.entry("internal.dead", with(GROUND, "internal.chore", "internal.enqueue")),
            Map.entry(
                    "internal.result", with(GROUND, "result", "internal.record", "internal.wake", "internal.workflow")),
            Map.entry("internal.search", with(GROUND, "search", "gate", "internal.policy")),
            Map.entry(
                    "internal.operate",
                    with(
                            GROUND,
                            "operate",
                            "search",
                            "internal.chore",
                            "internal.enqueue",
                            "internal.gate",
                            "internal.janitor",
                            "internal.search",
                            "internal.wake")),
            Map.entry("internal.doctor", with(GROUND, "doctor", "schema")),
            // What puts all of it together, and what stands on top.
            Map.entry(
                    "",
                    with(
                            GROUND,
                            "doctor",
                            "gate",
                            "operate",
                            "payload",
                            "result",
                            "schedule",
                            "schema",
                            "search",
                            "workflow",
                            "internal.chore",
                            "internal.claim",
                            "internal.dead",
                            "internal.doctor",
                            "internal.enqueue",
                            "internal.gate",
                            "internal.joblog",
                            "internal.node",
                            "internal.operate",
                            "internal.policy",
                            "internal.record",
                            "internal.result",
                            "internal.run",
                            "internal.schedule",
                            "internal.search",
                            "internal.wake",
                            "internal.workflow")),
            Map.entry("command", Set.of("internal.db", "internal.doctor", "doctor")),
            Map.entry("observe", Set.of("", "spi", "job", "operate")),
            Map.entry("trace", Set.of("internal.db", "settings", "spi", "job")),
            Map.entry(
                    "spring", Set.of("", "chunk", "gate", "payload", "result", "schedule", "spi", "job", "workflow")));

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
                        "javax.crypto..", // what EncryptionKeys brings
                        "org.jspecify.annotations",
                        full("job"),
                        full("chunk"),
                        full("gate"),
                        full("spi"),
                        full(TEXT)))
                .check(MAIN);
    }

    /** A package of two jars keeps an application from having both on its module path. */
    @Test
    void noPackageIsInTwoModules() throws IOException {
        Map<Path, Set<Path>> modulesOfPackage = new HashMap<>();
        for (Path module : modules()) {
            Path sources = module.resolve("src/main/java");
            for (Path file : Files.isDirectory(sources) ? sources(sources, path -> true) : List.<Path>of()) {
                modulesOfPackage
                        .computeIfAbsent(sources.relativize(file.getParent()), none -> new HashSet<>())
                        .add(module);
            }
        }

        assertThat(modulesOfPackage)
                .hasSizeGreaterThan(40)
                .allSatisfy((name, modules) ->
                        assertThat(modules).as(name.toString()).hasSize(1));
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
