package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.fault.Fault;
import dev.rowlock.queue.chaos.worker.Trait;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What the seed draws from: faults, each before any comes again, and traits of nodes. One thread. */
final class Draw {

    private final Random random;
    private final Predicate<String> wanted;
    private final List<Fault> faults;
    private final List<Trait> ofDriver;
    private final List<Trait> others;
    private final List<Fault> deck = new ArrayList<>();

    /** @param wanted parts of names, with commas between them; empty: all */
    Draw(Random random, String wanted) {
        this.random = random;
        this.wanted = fits(wanted);
        this.faults = Fault.all().stream()
                .filter(fault -> this.wanted.test(fault.name()))
                .toList();
        List<Trait> traits = Stream.of(Trait.values())
                .filter(trait -> trait.possible() && this.wanted.test(trait.name()))
                .toList();
        this.ofDriver = traits.stream().filter(Trait::ofDriver).toList();
        this.others = traits.stream().filter(trait -> !trait.ofDriver()).toList();
    }

    private static Predicate<String> fits(String wanted) {
        List<String> parts = Stream.of(wanted.toUpperCase(Locale.ROOT).split(","))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
        return name -> parts.isEmpty() || parts.stream().anyMatch(name::contains);
    }

    /** Whether what bears this name may happen. */
    boolean wants(String name) {
        return wanted.test(name);
    }

    /** Whether the last fault of a round has been drawn, or there is none. */
    boolean roundIsOver() {
        return deck.isEmpty();
    }

    boolean hasFaults() {
        return !faults.isEmpty();
    }

    Fault fault() {
        if (deck.isEmpty()) {
            deck.addAll(faults);
            Collections.shuffle(deck, random);
        }
        return deck.remove(0);
    }

    /** At most one option of the driver; each of the others now and then, unless few were asked for. */
    Set<Trait> traits() {
        Set<Trait> drawn = EnumSet.noneOf(Trait.class);
        int choice = random.nextInt(ofDriver.size() + 2);
        if (choice < ofDriver.size()) {
            drawn.add(ofDriver.get(choice));
        }
        others.stream().filter(trait -> random.nextInt(3) == 0).forEach(drawn::add);
        return drawn;
    }
}
