package org.example.shop;

import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;

/** Serves the shop by gRPC, without TLS, until SIGTERM. */
public final class Server {
    private static final int GRACE_SECONDS = 2;

    public static void main(String[] arguments) throws Exception {
        var address = new InetSocketAddress(setting("HOST", "127.0.0.1"), Integer.parseInt(setting("PORT", "8080")));
        // Nothing here blocks, so a thread for each processor will do. The default is one for each call under way.
        var server = NettyServerBuilder.forAddress(address)
                .executor(Executors.newWorkStealingPool())
                .addService(new Shop())
                .build()
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.shutdown();
            try {
                server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            server.shutdownNow(); // calls that go on do not hold it up
        }));
        server.awaitTermination();
    }

    private static String setting(String name, String otherwise) {
        var value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
