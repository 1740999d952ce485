package dev.rowlock.queue.dashboard.api.call;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One call of an operation, by a user who may call it.
 *
 * @param payloads whether the user sees payloads, headers and results
 * @param searches whether the user may search in them, too
 * @param id what stands in the path in place of {@code {id}}; 0: nothing does
 * @param query parameters of the address, each once
 * @param body the JSON that was sent; empty for none
 * @param csrf the token that the application wants with each change; null: it wants none
 */
public record Call(
        DashboardUser user,
        boolean payloads,
        boolean searches,
        long id,
        Map<String, String> query,
        byte[] body,
        @Nullable Csrf csrf) {

    /** @param header in which the token is sent */
    public record Csrf(String header, String token) {}

    public boolean may(AccessLevel level) {
        return user.level().reaches(level);
    }

    /** Refuses parameters that the operation does not know: a misspelt filter would show, or change, too much. */
    public Call knowing(Set<String> names) {
        for (String name : query.keySet()) {
            if (!names.contains(name)) {
                throw Problem.invalid("there is no parameter '%s'; there are %s"
                        .formatted(
                                Filters.printable(name), names.stream().sorted().toList()));
            }
        }
        return this;
    }

    public <T> T read(Class<T> type) {
        return Json.read(body, type);
    }

    public int number(String name, int otherwise, int most) {
        String text = query.get(name);
        if (text == null) {
            return otherwise;
        }
        long value = id(name, text);
        if (value > most) {
            throw Problem.invalid("%s is %d: it is 1 to %d".formatted(name, value, most));
        }
        return (int) value;
    }

    @Nullable
    public Long id(String name) {
        String text = query.get(name);
        return text == null ? null : Long.valueOf(id(name, text));
    }

    /** Ids travel as text: a number in JavaScript has 53 bits only. */
    public static long id(String what, @Nullable String text) {
        if (text == null || !text.matches("[1-9][0-9]{0,18}")) {
            throw Problem.invalid("%s is '%s': it is a whole number above zero"
                    .formatted(what, Filters.printable(String.valueOf(text))));
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Problem.invalid("%s is %s: that is more than there can be".formatted(what, text));
        }
    }
}
