package dev.rowlock.queue.test.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * In what the servers of users differ: drawn, because tests that always run on one kind of server never see what breaks on the others. What
 * a test depends on it sets itself.
 *
 * @param locale by which the server orders text that nobody told it how to: one of ICU's, or {@code C}
 * @param settings of {@code postgresql.conf}
 */
public record DrawnServer(String locale, Map<String, String> settings) {

    private static final String BYTES = "C";

    /** Orders text by its bytes and is in UTC: for what must not differ from run to run. */
    public static final DrawnServer PLAIN = new DrawnServer(BYTES, Map.of("timezone", "UTC"));

    // By the language of its users most databases order text; by its bytes few do, though tests like that. Some orders
    // are unlike all others: digits as numbers, capitals first, å at the end, two kinds of i.
    private static final List<String> LOCALES =
            List.of("en-US", "en-US", "de-DE", "sv-SE", "tr-TR", "en-US-u-kn-true", "en-US-u-kf-upper", BYTES);

    /** Which the product must not notice. What tests themselves say in SQL depends on them. */
    private static final Map<String, String> SELDOM =
            new TreeMap<>(Map.of("standard_conforming_strings", "off", "quote_all_identifiers", "on"));

    private static final int ONE_IN = 4;

    /** On both sides of Greenwich and of the date line, some with quarters of an hour and summer time. */
    private static final List<String> ZONES = List.of(
            "Europe/Berlin",
            "America/Los_Angeles",
            "America/St_Johns",
            "Asia/Kathmandu",
            "Pacific/Kiritimati",
            "Pacific/Pago_Pago",
            "UTC");

    static final int FIRST_WITH_ICU = 15;

    private static final DrawnServer OF_THIS_JVM = by(TestSeed.random("server"));

    public DrawnServer {
        settings = Collections.unmodifiableMap(new TreeMap<>(settings)); // in one order, as they are told
    }

    /** The one for all servers that the tests of this JVM start. */
    public static DrawnServer ofThisJvm() {
        return OF_THIS_JVM;
    }

    public static DrawnServer by(Random random) {
        return new DrawnServer(one(LOCALES, random), Map.of("timezone", one(ZONES, random)));
    }

    /** Settings that users seldom change, now and then: for servers of which tests say little in SQL. */
    public static Map<String, String> seldom(Random random) {
        Map<String, String> settings = new TreeMap<>(SELDOM);
        settings.keySet().removeIf(setting -> random.nextInt(ONE_IN) > 0);
        return settings;
    }

    /** A time zone for a JVM. The driver tells the server, so that its sessions are in this zone too. */
    public static String zone(Random random) {
        return one(ZONES, random);
    }

    private static <T> T one(List<T> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    /** How initdb makes a server of this version with the locale. Before 15 it can be the machine's only, if that knows the language. */
    List<String> initdb(int version) {
        if (locale.equals(BYTES)) {
            return List.of("--locale=C");
        }
        if (version >= FIRST_WITH_ICU) {
            return List.of("--locale=C", "--locale-provider=icu", "--icu-locale=" + locale);
        }
        String ofMachine = locale.substring(0, "en-US".length()).replace('-', '_') + ".utf8";
        return machineKnows(ofMachine) ? List.of("--locale=" + ofMachine, "--lc-messages=C") : List.of("--locale=C");
    }

    private static boolean machineKnows(String locale) {
        try {
            Process all = new ProcessBuilder("locale", "-a").start();
            return new String(all.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .anyMatch(locale::equals);
        } catch (IOException e) {
            return false; // no system that has such a program
        }
    }

    @Override
    public String toString() {
        return "locale %s, %s".formatted(locale, settings);
    }
}
