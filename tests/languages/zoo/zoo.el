;; Functions of Emacs Lisp.  -*- lexical-binding: t -*-
(defun zoo-inner (n) (dotimes (i 2000) (setq n (% (+ (* n 1103) i) 65536))) n)
(defun zoo-middle (values) (+ (apply #'+ (mapcar (lambda (value) (1+ (zoo-inner value))) values)) 1))
(defun zoo-outer (n) (+ (zoo-middle (list n (1+ n))) 1))
(let ((sum 0)) (dotimes (i 1000) (setq sum (+ sum (zoo-outer i)))) (message "%d" sum))
