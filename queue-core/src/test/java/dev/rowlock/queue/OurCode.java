package dev.rowlock.queue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The classes and files of this module, for the rules that they keep. */
final class OurCode {

    static final String BASE = "dev.rowlock.queue";
    static final JavaClasses MAIN = classesBeside(JobTemplate.class);

    private static final Path SOURCES = Path.of("src", "main", "java");

    private OurCode() {}

    /** All classes of the folder that this one comes from. */
    static JavaClasses classesBeside(Class<?> one) {
        return new ClassFileImporter()
                .importUrl(one.getProtectionDomain().getCodeSource().getLocation());
    }

    static Stream<JavaPackage> packagesWithClasses() {
        return MAIN.stream()
                .filter(aClass -> !aClass.getSimpleName().equals("package-info"))
                .map(JavaClass::getPackage)
                .distinct();
    }

    static String full(String place) {
        return place.isEmpty() ? BASE : BASE + "." + place;
    }

    static boolean isOurs(JavaClass aClass) {
        return aClass.getPackageName().equals(BASE) || aClass.getPackageName().startsWith(BASE + ".");
    }

    static String place(JavaClass aClass) {
        return place(aClass.getBaseComponentType().getPackageName());
    }

    static String place(String packageName) {
        return packageName.equals(BASE) ? "" : packageName.substring(BASE.length() + 1);
    }

    static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(Path.of(".."))) {
            return folders.filter(folder -> Files.isRegularFile(folder.resolve("pom.xml")))
                    .filter(folder -> Files.isDirectory(folder.resolve("src")))
                    .toList();
        }
    }

    static List<Path> sources(Predicate<Path> which) throws IOException {
        return sources(SOURCES, which);
    }

    static List<Path> sources(Path folder, Predicate<Path> which) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(path -> path.toString().endsWith(".java"))
                    .filter(which)
                    .toList();
        }
    }
}
