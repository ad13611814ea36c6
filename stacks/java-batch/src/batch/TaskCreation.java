package batch;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/** The job task-creation: threads that all exist at once. Each reports that it is there, and waits until it may end. */
final class TaskCreation {

    private TaskCreation() {}

    static void run(ThreadFactory threads, int tasks) throws IOException, InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        GatheredThreads.run(threads, tasks, number -> mayEnd::await, Gathering::line, mayEnd::countDown);
    }
}
