package dev.rowlock.queue.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InstantPeekSocketFactoryTest {

    private ServerSocket server;
    private Socket socket;
    private Socket peer;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        socket = new InstantPeekSocketFactory().createSocket(server.getInetAddress(), server.getLocalPort());
        peer = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        socket.close();
        server.close();
    }

    @Test
    void aPeekFindsNothingWhereNothingHasArrived() throws IOException {
        socket.setSoTimeout(1);

        assertThatThrownBy(() -> socket.getInputStream().read(new byte[8])).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void aPeekFindsWhatHasArrived() throws IOException {
        peer.getOutputStream().write(new byte[] {'A', 'N'});
        Awaitility.await().until(() -> socket.getInputStream().available() == 2);
        socket.setSoTimeout(1);

        assertThat(socket.getInputStream().read()).isEqualTo('A');
        assertThat(socket.getInputStream().read(new byte[8])).isEqualTo(1);
    }

    /** A read that asked the system would find the end. */
    @Test
    void aPeekAsksTheSystemForNothing() throws IOException {
        peer.close();
        socket.setSoTimeout(1);
        assertThatThrownBy(() -> socket.getInputStream().read(new byte[8])).isInstanceOf(SocketTimeoutException.class);

        socket.setSoTimeout(20_000);

        assertThat(socket.getInputStream().read(new byte[8])).isEqualTo(-1);
    }

    @Test
    void everyOtherReadWaits() throws IOException {
        socket.setSoTimeout(1);
        socket.setSoTimeout(20_000);

        CompletableFuture<Integer> read = CompletableFuture.supplyAsync(() -> {
            try {
                return socket.getInputStream().read();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        peer.getOutputStream().write('A');

        assertThat(read.join()).isEqualTo('A');
    }

    @Test
    void theEndOfTheStreamIsNoticed() throws IOException {
        peer.close();

        assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
}
