package dev.rowlock.queue;

import dev.rowlock.queue.job.JobOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** Reads the key of a job from its payload: see {@link JobType#key}. Thread-safe. */
final class KeyExpression {

    private static final SpelExpressionParser PARSER =
            new SpelExpressionParser(new SpelParserConfiguration(SpelCompilerMode.OFF, null));

    // It reads; it neither writes, nor names types, beans or constructors.
    private static final SimpleEvaluationContext READ_ONLY = SimpleEvaluationContext.forReadOnlyDataBinding()
            .withInstanceMethods()
            .build();

    private final Class<?> payload;
    private final Expression expression;

    /** @throws IllegalArgumentException if that is no expression, or names a property that the payload does not have */
    KeyExpression(Class<?> payload, String text) {
        this.payload = payload;
        this.expression = parsed(payload, "the key '%s'".formatted(text), text);
    }

    /**
     * An expression about the payload.
     *
     * @param named where the class names it, for messages: {@code the key 'tenant'}
     * @throws IllegalArgumentException as the constructor
     */
    static Expression parsed(Class<?> payload, String named, String text) {
        try {
            SpelExpression parsed = PARSER.parseRaw(text);
            KeyProperties.require(payload, named, parsed.getAST());
            return parsed;
        } catch (ParseException e) {
            throw new IllegalArgumentException(
                    "@JobType of %s names %s, which is no expression: %s"
                            .formatted(payload.getName(), named, e.getSimpleMessage()),
                    e);
        }
    }

    /** @throws EvaluationException if it cannot be read */
    static @Nullable Object value(Expression expression, Object job) {
        return expression.getValue(READ_ONLY, job);
    }

    /**
     * Null: this one has no key.
     *
     * @throws IllegalArgumentException if it cannot be read, or is no key
     */
    @Nullable
    String of(Object job) {
        Object key;
        try {
            key = value(expression, job);
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(
                    "the key of a job cannot be read: @JobType of %s names '%s': %s"
                            .formatted(payload.getName(), expression.getExpressionString(), e.getSimpleMessage()),
                    e);
        }
        if (key == null) {
            return null;
        }
        try {
            return JobOptions.validKey(key.toString());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "@JobType of %s names the key '%s': %s"
                            .formatted(payload.getName(), expression.getExpressionString(), e.getMessage()),
                    e);
        }
    }
}
