// A virtual method and a lambda between main and the loop.
import java.util.function.LongUnaryOperator;

public class Zoo {
    long weight = 1;

    long zooInner(long n) {
        for (int i = 0; i < 2000; i++)
            n = n * 6364136223846793005L + i + weight;
        return n;
    }

    static long zooMiddle(LongUnaryOperator visit, long n) {
        return visit.applyAsLong(n) + 1;
    }

    static long zooOuter(Zoo zoo, long n) {
        return zooMiddle(value -> zoo.zooInner(value) + 1, n) + 1;
    }

    static long zooRounds(long rounds) {
        Zoo zoo = new Zoo();
        long sum = 0;
        for (long i = 0; i < rounds; i++)
            sum += zooOuter(zoo, i);
        return sum;
    }

    public static void main(String[] args) {
        long sum = 0;
        // Often called, so that compiled code replaces interpreted code at the next call.
        for (int i = 0; i < 100; i++)
            sum += zooRounds(5000);
        System.out.println(sum);
    }
}
