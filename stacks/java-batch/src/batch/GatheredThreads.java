package batch;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.IntFunction;

/** Threads that meet at the task barrier. */
final class GatheredThreads {

    private GatheredThreads() {}

    /** What a thread does once it has reported that it exists. */
    interface Task {
        void run() throws InterruptedException;
    }

    /** What is done beside the threads. */
    interface Lead {
        void run(Gathering gathering) throws IOException, InterruptedException;
    }

    /**
     * Starts a thread for each task, runs {@code lead} beside them, and waits for their end.
     *
     * @param task the task of each number, counted from 0
     * @param release has every task end, whatever became of {@code lead}
     */
    static void run(ThreadFactory factory, int count, IntFunction<Task> task, Lead lead, Runnable release)
            throws IOException, InterruptedException {
        try (Gathering gathering = new Gathering();
                ExecutorService threads = Executors.newThreadPerTaskExecutor(factory)) {
            try {
                for (int number = 0; number < count; number++) {
                    Task own = task.apply(number);
                    // Who did not get through is missed: the gathering goes on without end.
                    threads.submit(() -> {
                        gathering.arrive();
                        own.run();
                        return null;
                    });
                }
                lead.run(gathering);
            } finally {
                release.run();
            }
        }
    }
}
