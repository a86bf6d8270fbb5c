#lang racket/base
; Procedures that are not in tail position, for every Scheme.
(define (zoo-inner n)
  (let loop ((n n) (i 0))
    (if (< i 2000) (loop (modulo (+ (* n 1103) i) 65536) (+ i 1)) n)))
(define (zoo-middle n) (+ (zoo-inner n) 1))
(define (zoo-outer n) (+ (zoo-middle n) 1))
(define (zoo-rounds rounds)
  (let loop ((i 0) (sum 0))
    (if (< i rounds) (loop (+ i 1) (+ sum (zoo-outer i))) sum)))
(display (zoo-rounds 60000))
(newline)
