package dev.rowlock.queue.chaos.worker;

import java.time.Duration;
import java.util.Set;

/** What a node's application may have chosen, and others not: a promise holds for each, and where they meet. */
public enum Trait {
    /** Many applications have it for their enums; the driver then sends what it would send otherwise, untyped. */
    STRINGTYPE_UNSPECIFIED("stringtype=unspecified"),
    /** As poolers of long ago need it: no statement is prepared, several in one are no pipeline. */
    SIMPLE_QUERIES("preferQueryMode=simple"),
    EXTENDED_QUERIES("preferQueryMode=extended"),
    /** As behind PgBouncer. */
    NEVER_PREPARED("prepareThreshold=0"),
    PREPARED_AT_ONCE("prepareThreshold=1"),
    TEXT_ONLY("binaryTransfer=false"),
    AUTOSAVE("autosave=always"),
    BATCHES_REWRITTEN("reWriteBatchedInserts=true"),
    ROW_BY_ROW("defaultRowFetchSize=1"),
    /** The default of a role or a database. */
    REPEATABLE_READ("options=-c%20default_transaction_isolation=repeatable%5C%20read"),
    SERIALIZABLE("options=-c%20default_transaction_isolation=serializable"),
    /** The pool's setting, which counts for each connection that it hands out. */
    POOL_SERIALIZABLE(""),
    POOL_WITHOUT_AUTO_COMMIT(""),
    /** Its observer throws, dawdles, interrupts its caller, and leaves things on its thread. */
    RUDE_OBSERVER(""),
    /** Spring Boot puts its node together, as in most applications; otherwise it is done by hand. */
    SPRING_BOOT(""),
    /** Keeps what is done for a day, while others keep it for longer. */
    SHORT_RETENTION("");

    /** What all but {@link #SHORT_RETENTION} keep: longer than clocks ever step. */
    static final Duration LONG_RETENTION = Duration.ofDays(300);

    private final String driverOption;

    Trait(String driverOption) {
        this.driverOption = driverOption;
    }

    /** Whether this class path has what it takes. */
    public boolean possible() {
        return this != SPRING_BOOT || BootApplication.possible();
    }

    /** Whether it is an option of the driver. */
    public boolean ofDriver() {
        return !driverOption.isEmpty();
    }

    /** The JDBC URL as somebody writes it who has chosen these. */
    static String url(String plain, Set<Trait> traits) {
        StringBuilder url = new StringBuilder(plain);
        for (Trait trait : traits) {
            if (!trait.driverOption.isEmpty()) {
                url.append(url.indexOf("?") < 0 ? '?' : '&').append(trait.driverOption);
            }
        }
        return url.toString();
    }
}
