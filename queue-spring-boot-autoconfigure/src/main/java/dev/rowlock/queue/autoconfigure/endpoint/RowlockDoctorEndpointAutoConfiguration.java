package dev.rowlock.queue.autoconfigure.endpoint;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.autoconfigure.RowlockWorkerAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The actuator endpoint {@code rowlockdoctor}, where endpoints are and this one is exposed. */
@AutoConfiguration(after = RowlockWorkerAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(Rowlock.class)
@ConditionalOnAvailableEndpoint(endpoint = RowlockDoctorEndpoint.class)
public final class RowlockDoctorEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RowlockDoctorEndpoint rowlockDoctorEndpoint(Rowlock rowlock) {
        return new RowlockDoctorEndpoint(rowlock.doctor());
    }
}
