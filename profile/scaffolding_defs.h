/*
 * Scaffolding: functions of standard libraries and runtimes that only pass control on to code of
 * the program. S("pattern", "language", "reason").
 *
 * A * in a pattern stands for any text. Interpreters, allocators, collectors and everything else
 * that works by itself is not scaffolding, however often it is in a stack.
 */
/* clang-format off */
#define PROF_SCAFFOLDING(S) \
	S("_start", "C", "entry point of a program, calls main") \
	S("__libc_start_main*", "C", "calls main") \
	S("__libc_start_call_main", "C", "calls main") \
	S("start_thread", "C", "calls the function of a thread") \
	S("clone", "C", "begins a thread") \
	S("clone3", "C", "begins a thread") \
	S("__clone", "C", "begins a thread") \
	S("__clone3", "C", "begins a thread") \
	S("thread_start", "C", "begins a thread in musl and glibc for aarch64") \
	S("__pthread_once_slow", "C", "calls an initializer") \
	S("__gthread_once", "C++", "calls pthread_once") \
	S("execute_native_thread_routine", "C++", "calls the function of a std::thread") \
	S("std::__invoke*", "C++", "calls its argument") \
	S("std::invoke<*", "C++", "calls its argument") \
	S("std::invoke", "C++", "calls its argument") \
	S("std::apply<*", "C++", "calls its argument") \
	S("std::__apply_impl<*", "C++", "calls its argument") \
	S("std::call_once<*", "C++", "calls its argument once") \
	S("std::once_flag::_Prepare_execution::*", "C++", "calls the argument of std::call_once") \
	S("std::function<*>::operator()", "C++", "calls the function it holds") \
	S("std::_Function_handler<*>::_M_invoke", "C++", "calls the function of a std::function") \
	S("std::reference_wrapper<*>::operator()<*", "C++", "calls the function it refers to") \
	S("std::thread::_Invoker<*", "C++", "calls the function of a std::thread") \
	S("std::thread::_State_impl<*>::_M_run", "C++", "calls the function of a std::thread") \
	S("std::__future_base::*", "C++", "calls the function of a task") \
	S("std::packaged_task<*>::operator()", "C++", "calls the function it holds") \
	S("std::__1::__invoke*", "C++", "calls its argument (libc++)") \
	S("std::__1::__function::*", "C++", "calls the function of a std::function (libc++)") \
	S("std::__1::function<*>::operator()", "C++", "calls the function it holds (libc++)") \
	S("std::__1::__thread_*", "C++", "calls the function of a std::thread (libc++)") \
	S("__gnu_cxx::__ops::_Iter_*", "C++", "calls the comparison of an algorithm") \
	S("core::ops::function::*", "Rust", "calls a closure") \
	S("<*>::call_once", "Rust", "calls a closure") \
	S("<*>::call_once::*", "Rust", "calls a closure") \
	S("<* as core::ops::function::Fn*>::call*", "Rust", "calls a closure") \
	S("<&dyn core::ops::function::Fn*>::call*", "Rust", "calls a closure") \
	S("std::panic::catch_unwind*", "Rust", "calls a closure") \
	S("std::panicking::catch_unwind*", "Rust", "calls a closure") \
	S("std::panicking::try*", "Rust", "calls a closure") \
	S("__rust_try", "Rust", "calls a closure") \
	S("std::rt::lang_start*", "Rust", "calls main") \
	S("std::sys::backtrace::__rust_begin_short_backtrace*", "Rust", "marks where backtraces end") \
	S("std::sys_common::backtrace::__rust_begin_short_backtrace*", "Rust", "marks where backtraces end") \
	S("std::thread::*::spawn_unchecked*", "Rust", "calls the closure of a thread") \
	S("std::thread::*::spawnhook::*", "Rust", "calls the closure of a thread") \
	S("*std::sys::*thread*::new::thread_start", "Rust", "calls the closure of a thread") \
	S("runtime.goexit", "Go", "the caller of every goroutine") \
	S("runtime.goexit.abi0", "Go", "the caller of every goroutine") \
	S("runtime.main", "Go", "calls main.main") \
	S("runtime.mcall*", "Go", "switches to the stack of the scheduler") \
	S("runtime.systemstack*", "Go", "switches to the stack of the scheduler") \
	S("runtime.mstart*", "Go", "begins a thread") \
	S("runtime.rt0_go*", "Go", "begins the program") \
	S("Py_BytesMain", "Python", "begins the program") \
	S("Py_RunMain", "Python", "runs the script") \
	S("pymain_*", "Python", "runs the script") \
	S("_PyRun_*", "Python", "runs the script") \
	S("Thread::call_run", "Java", "begins a thread") \
	S("thread_native_entry*", "Java", "begins a thread") \
	S("JavaThread::run", "Java", "begins a thread") \
	S("JavaThread::thread_main_inner*", "Java", "begins a thread") \
	S("JavaCalls::call*", "Java", "calls a method") \
	S("jni_invoke_static*", "Java", "calls a method") \
	S("jni_CallStaticVoidMethod", "Java", "calls a method") \
	S("StubRoutines (*)", "Java", "calls a method") \
	S("call_stub", "Java", "calls a method") \
	S("JavaMain", "Java", "calls main") \
	S("ThreadJavaMain", "Java", "calls JavaMain") \
	S("node::Start*", "JavaScript", "begins the program") \
	S("Builtins_JSEntry*", "JavaScript", "calls a function") \
	S("v8::internal::Execution::Call*", "JavaScript", "calls a function") \
	S("v8::Function::Call*", "JavaScript", "calls a function") \
	S("entry_SYSCALL_64*", "kernel", "enters the kernel") \
	S("do_syscall_64", "kernel", "calls the function of a system call") \
	S("x64_sys_call", "kernel", "calls the function of a system call") \
	S("el0t_64_sync*", "kernel", "enters the kernel") \
	S("el0_svc*", "kernel", "calls the function of a system call") \
	S("do_el0_svc", "kernel", "calls the function of a system call") \
	S("invoke_syscall*", "kernel", "calls the function of a system call") \
	S("asm_exc_*", "kernel", "enters the kernel") \
	S("asm_sysvec_*", "kernel", "enters the kernel") \
	S("ret_from_fork*", "kernel", "begins a thread") \
	S("kthread", "kernel", "calls the function of a thread") \
	S("start_secondary", "kernel", "begins to use a CPU") \
	S("secondary_startup_64*", "kernel", "begins to use a CPU") \
	S("common_startup_64", "kernel", "begins to use a CPU") \
	S("start_kernel", "kernel", "begins the kernel") \
	S("x86_64_start_*", "kernel", "begins the kernel") \
	S("rest_init", "kernel", "begins the kernel") \
	S("cpu_startup_entry", "kernel", "waits for work of a CPU") \
	S("do_idle", "kernel", "waits for work of a CPU") \
	S("cpuidle_enter*", "kernel", "waits for work of a CPU") \
	S("call_cpuidle", "kernel", "waits for work of a CPU") \
	S("default_idle*", "kernel", "waits for work of a CPU") \
	S("default_enter_idle", "kernel", "waits for work of a CPU") \
	S("arch_cpu_idle", "kernel", "waits for work of a CPU")
/* clang-format on */
