package dev.rowlock.queue.dashboard;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The dashboard is an application of the queue like any other. */
class ArchitectureTest {

    private static final JavaClasses classes = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.rowlock.queue.dashboard");

    @Test
    void itUsesOnlyWhatApplicationsMayUse() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "org.springframework.jdbc..")
                .check(classes);
    }

    /** An application's own rules would back off, and open what they had closed. */
    @Test
    void itContributesNothingToTheSecurityOfItsHost() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching("org\\.springframework\\.security\\.(?!web\\.csrf\\.CsrfToken$).*")
                .check(classes);
    }

    @Test
    void itsPackagesHaveNoCycles() {
        slices().matching("dev.rowlock.queue.dashboard.(*)..")
                .should()
                .beFreeOfCycles()
                .check(classes);
    }
}
