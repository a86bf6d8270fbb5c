; Functions with primitive arguments; the namespace is the user's.
(set! *unchecked-math* true)
(defn zoo-inner ^long [^long start]
  (loop [n start i 0]
    (if (< i 2000) (recur (+ (* n 6364136223846793005) i) (inc i)) n)))
(defn zoo-middle ^long [^long n] (+ (zoo-inner n) 1))
(defn zoo-outer ^long [^long n] (+ (zoo-middle n) 1))
(defn zoo-rounds ^long [^long rounds]
  (loop [sum 0 i 0] (if (< i rounds) (recur (+ sum (zoo-outer i)) (inc i)) sum)))
(println (reduce unchecked-add (map (fn [_] (zoo-rounds 5000)) (range 100))))
