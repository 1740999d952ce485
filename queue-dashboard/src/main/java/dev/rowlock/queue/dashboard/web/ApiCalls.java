package dev.rowlock.queue.dashboard.web;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import dev.rowlock.queue.dashboard.api.Operation;
import dev.rowlock.queue.dashboard.api.Operation.Method;
import dev.rowlock.queue.dashboard.api.Operations;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.search.SearchTimeoutException;
import dev.rowlock.queue.spi.PayloadException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;

/** Finds the operation that a request names, asks whether its user may call it, and turns what goes wrong into an answer. */
final class ApiCalls {

    private static final Logger log = LoggerFactory.getLogger(ApiCalls.class);

    /** A payload may have a megabyte; JSON in JSON needs more. */
    private static final int MAX_BODY = 8 << 20;

    private final Operations operations;
    private final AccessLevel payloads;
    private final OnceAMinute traces = new OnceAMinute();

    ApiCalls(Operations operations, AccessLevel payloads) {
        this.operations = operations;
        this.payloads = payloads;
    }

    @Nullable
    Object run(String asked, DashboardUser user, HttpServletRequest request) throws IOException {
        boolean changes = request.getMethod().equals("POST");
        if (!changes
                && !request.getMethod().equals("GET")
                && !request.getMethod().equals("HEAD")) {
            throw new Problem(405, "there are only GET and POST");
        }
        Method method = changes ? Method.POST : Method.GET;
        Operation operation = operations.find(method, asked);
        if (!user.level().reaches(operation.level())) {
            throw new Problem(403, "you are %s, and this needs %s".formatted(user.level(), operation.level()));
        }
        boolean sees = user.level().reaches(payloads);
        Call call = new Call(
                user,
                sees,
                sees && operations.searchable(user.level()),
                operation.match(asked),
                changes ? Map.of() : query(request),
                changes ? body(request) : new byte[0],
                asked.equals("me") ? SecurityToken.of(request) : null);
        return answered(operation, call);
    }

    private static Map<String, String> query(HttpServletRequest request) {
        Map<String, String> query = new HashMap<>();
        request.getParameterMap().forEach((name, values) -> {
            if (values.length != 1) {
                throw new Problem(400, "a parameter stands in the address more than once");
            }
            if (values[0].indexOf('\0') >= 0) {
                throw new Problem(400, "a parameter has the character U+0000, which no text of the database has");
            }
            query.put(name, values[0]);
        });
        return query;
    }

    private static byte[] body(HttpServletRequest request) throws IOException {
        byte[] body = request.getInputStream().readNBytes(MAX_BODY + 1);
        if (body.length > MAX_BODY) {
            throw new Problem(413, "the body of the request is longer than %d bytes".formatted(MAX_BODY));
        }
        return body;
    }

    private @Nullable Object answered(Operation operation, Call call) {
        try {
            return operation.action().run(call);
        } catch (IllegalArgumentException | PayloadException e) {
            throw new Problem(400, text(e));
        } catch (IllegalStateException e) {
            throw new Problem(409, text(e));
        } catch (SearchTimeoutException e) {
            throw new Problem(503, text(e));
        } catch (DataIntegrityViolationException e) {
            log.warn("dashboard operation {} failed: the database rejects it", operation.path(), e);
            throw new Problem(409, "the database refuses this; the application's log says more");
        } catch (DataAccessException e) {
            if (traces.due()) {
                log.warn("dashboard operation {} failed: the database did not answer", operation.path(), e);
            }
            throw new Problem(503, "the database did not answer; the application's log says more");
        } catch (Problem e) {
            throw e;
        } catch (RuntimeException e) {
            log.error("dashboard operation {} failed", operation.path(), e);
            throw new Problem(500, "this has failed; the application's log says more");
        }
    }

    private static String text(RuntimeException e) {
        return String.valueOf(e.getMessage());
    }
}
