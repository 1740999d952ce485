package dev.rowlock.sample.imports;

import dev.rowlock.sample.catalog.InvalidCatalogException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Says what is wrong with a file, as a problem detail (RFC 9457). */
@RestControllerAdvice
class ImportErrors {

    @ExceptionHandler
    ProblemDetail invalid(InvalidCatalogException e) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, e.getMessage());
        problem.setTitle("Not a catalog");
        return problem;
    }
}
